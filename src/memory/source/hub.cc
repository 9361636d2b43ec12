#include "memory/source/hub.h"

namespace waybill {

MemoryHub::MemoryHub(SlabPoolOptions slab_options, const WrapSource& wrap)
    : ledger(std::make_shared<Ledger>()) {
  const auto page = ledger->ForDevice({});
  system = std::make_shared<HostSource>(page);
  std::shared_ptr<MemorySource> pages = std::make_shared<PageSource>(page);
  if (wrap) {
    system = wrap(std::move(system));
    pages = wrap(std::move(pages));
  }
  slabs = std::make_shared<SlabPool>(std::move(pages), slab_options);
}

}  // namespace waybill
