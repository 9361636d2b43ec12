# Third-party code for another machine than this one: the libraries installed here are of no use, but
# headers are, and the sources of GoogleTest. Enough for the library and the unit tests of its layers.
foreach(package IN ITEMS hwy protozero nlohmann)
  if(NOT EXISTS "/usr/include/${package}")
    message(FATAL_ERROR "The ${package} headers are missing; run scripts/setup --arm.")
  endif()
  # Not /usr/include itself: the headers of this machine's C library lie there too.
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include")
  file(CREATE_LINK "/usr/include/${package}" "${CMAKE_BINARY_DIR}/include/${package}" SYMBOLIC)
endforeach()
set(WAYBILL_PROTOZERO_INCLUDE "${CMAKE_BINARY_DIR}/include")
set(WAYBILL_HIGHWAY_INCLUDE "${CMAKE_BINARY_DIR}/include")
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE "${CMAKE_BINARY_DIR}/include")
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
endif()
