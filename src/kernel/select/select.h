// Chooses an implementation for a node: providers in order, within each its list in order, first
// one that accepts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "kernel/api/kernel.h"

namespace waybill::kernel {

struct Provider {
  std::string name;  // "CPUExecutionProvider"
  std::vector<KernelTable> tables;
};

struct Refusal {
  std::string_view impl;
  std::string reason;
};

struct Selection {
  std::unique_ptr<Kernel> kernel;  // created, not yet prepared
  std::string_view impl;           // its KernelImpl::name
  std::string_view provider;
  std::vector<Refusal> refusals;  // those before it that said no, and why
};

// Errors: kNotImplemented when no table has the operator at this version ("no kernel for
// /l1/x (Det-22), input types double") or every implementation refused (each reason is listed).
Result<Selection> Select(const graph::NodeRef& node, std::span<const Provider> providers);

}  // namespace waybill::kernel
