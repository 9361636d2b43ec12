// waybill: run, look into, measure and verify ONNX models.
#include "tools/cli/allocation_count.h"
#include "tools/cli/command_line.h"

int main(int argc, char** argv) {
  return waybill::tools::CommandLine(argc, argv, waybill::tools::AllocationCount);
}
