#include "kernel/select/select.h"

namespace waybill::kernel {

namespace {

std::string InputTypes(const graph::NodeRef& node) {
  std::string out;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    if (i != 0) out += ", ";
    out += node.has_input(i) ? node.input_type(i).TypeString() : "omitted";
  }
  return out;
}

bool Serves(const OpKernels& entry, const graph::Node& node) {
  return entry.op_type == node.op_type && entry.domain == node.domain &&
         node.since_version >= entry.since_first && node.since_version <= entry.since_last;
}

}  // namespace

Result<Selection> Select(const graph::NodeRef& node, std::span<const Provider> providers) {
  Selection selection;
  for (const Provider& provider : providers) {
    for (const KernelTable& table : provider.tables) {
      for (const OpKernels& entry : table) {
        if (!Serves(entry, node.node())) continue;
        for (const KernelImpl& impl : entry.impls) {
          const Acceptance acceptance = impl.accepts ? impl.accepts(node) : Acceptance::Yes();
          if (!acceptance.ok()) {
            selection.refusals.push_back({impl.name, acceptance.reason()});
            continue;
          }
          WB_ASSIGN_OR_RETURN(selection.kernel, impl.create(node), "{}, kernel {}",
                              node.node().Describe(), impl.name);
          selection.impl = impl.name;
          selection.provider = provider.name;
          return selection;
        }
      }
    }
  }
  std::string why;
  for (const Refusal& refusal : selection.refusals) {
    why += Format("; {}: {}", refusal.impl, refusal.reason);
  }
  return Error(Code::kNotImplemented, "no kernel for {} with input types ({}){}",
               node.node().Describe(), InputTypes(node), why);
}

}  // namespace waybill::kernel
