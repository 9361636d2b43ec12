# Writes the model, runs the example on it, and compares what it prints.
execute_process(COMMAND ${WRITER} ${MODEL} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EXAMPLE} ${MODEL} OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
if(NOT out STREQUAL "392.000000\n")
  message(FATAL_ERROR "the example printed '${out}' instead of the sum 392.000000")
endif()
