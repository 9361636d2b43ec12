#include "memory/source/hub.h"

namespace waybill {

MemoryHub::MemoryHub(SlabPoolOptions slab_options) : ledger(std::make_shared<Ledger>()) {
  const auto page = ledger->ForDevice({});
  system = std::make_shared<HostSource>(page);
  slabs = std::make_shared<SlabPool>(std::make_shared<PageSource>(page), slab_options);
}

}  // namespace waybill
