#include <vector>

#include "kernel/reference/math/tables.h"
#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable MathKernels() {
  static const std::vector<OpKernels> table = [] {
    std::vector<OpKernels> all;
    for (const KernelTable part : {
             ActivationKernels(), ArgExtremeKernels(), ArithmeticKernels(), CastKernels(),
             ClipKernels(),       CompareKernels(),    CumulativeKernels(), DetKernels(),
             DftKernels(),        EinsumKernels(),     LogicKernels(),      MelKernels(),
             ModKernels(),        OptimizerKernels(),  PowKernels(),        PReluKernels(),
             RandomKernels(),     RangeKernels(),      ReduceKernels(),     SoftmaxKernels(),
             StftKernels(),       UnaryKernels(),      VariadicKernels(),   WhereKernels(),
             WindowKernels(),
         }) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace waybill::kernel::reference
