#include "kernel/reference/internal/around.h"
#include "kernel/reference/internal/kernels.h"
#include "kernel/reference/nn/kernels.h"

namespace waybill::kernel::reference {

constinit const KernelImpl kInternalConv[1] = {
    {"internal_conv.reference", nullptr, [](const graph::NodeRef& node) {
       return MakeAround(node, {3, false, kConv});
     }}};
constinit const KernelImpl kInternalConvTranspose[1] = {
    {"internal_conv_transpose.reference", nullptr, [](const graph::NodeRef& node) {
       return MakeAround(node, {3, false, kConvTranspose});
     }}};
constinit const KernelImpl kInternalMaxPool[1] = {
    {"internal_max_pool.reference", nullptr, [](const graph::NodeRef& node) {
       return MakeAround(node, {1, true, kMaxPool});
     }}};
constinit const KernelImpl kInternalAveragePool[1] = {
    {"internal_average_pool.reference", nullptr, [](const graph::NodeRef& node) {
       return MakeAround(node, {1, true, kAveragePool});
     }}};
constinit const KernelImpl kInternalLrn[1] = {
    {"internal_lrn.reference", nullptr, [](const graph::NodeRef& node) {
       return MakeAround(node, {1, true, kLrn});
     }}};

}  // namespace waybill::kernel::reference
