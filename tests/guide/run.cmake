# Writes the model, runs the program on it, and compares what it prints with what the guide says.
execute_process(COMMAND ${WRITER} ${MODEL} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EXAMPLE} ${MODEL} OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT out STREQUAL expected)
  message(FATAL_ERROR "the program printed\n${out}\ninstead of\n${expected}")
endif()
