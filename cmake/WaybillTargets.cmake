# Parsing the standard library is most of a small file's compile time, so it is precompiled, and
# GoogleTest with it for tests. Files still include what they use.
set(WAYBILL_PCH <algorithm> <cmath> <cstring> <functional> <map> <memory> <optional> <span> <string>
    <variant> <vector>)

# waybill_precompiled(TARGET OWNER headers...): the target uses the precompiled headers of OWNER,
# which is the first target of its kind and has the same flags.
function(waybill_precompiled target owner)
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# waybill_layer(NAME deps...): the folder's *.cc become the static library `waybill_NAME`, its
# *_test.cc the test program `NAME_test`, those in folders `testing` the library
# `waybill_NAME_testing` that the tests of this layer and the next link. Files are found by name so
# that adding one edits no list.
function(waybill_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  set(helpers ${sources})
  list(FILTER helpers INCLUDE REGEX "/testing/")
  list(FILTER sources EXCLUDE REGEX "/testing/")
  set(target waybill_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
    target_link_libraries(${target} PUBLIC ${ARGN})
    target_precompile_headers(${target} PRIVATE ${WAYBILL_PCH})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
    target_link_libraries(${target} INTERFACE ${ARGN})
  endif()
  if(helpers AND BUILD_TESTING)
    add_library(${target}_testing STATIC ${helpers})
    target_link_libraries(${target}_testing PUBLIC ${target} GTest::gtest)
    target_compile_options(${target}_testing PRIVATE -O0)
  endif()
  if(tests AND BUILD_TESTING)
    set(helpers)
    foreach(layer ${target} ${ARGN})
      list(APPEND helpers $<TARGET_NAME_IF_EXISTS:${layer}_testing>)
    endforeach()
    waybill_test(${name}_test SOURCES ${tests} LINK ${target} ${helpers})
  endif()
endfunction()

# waybill_test(NAME SOURCES files... LINK targets... [ARGS args...] [LABELS labels...]): one GoogleTest program, one ctest entry.
function(waybill_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LINK;ARGS;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LINK} $<TARGET_NAME_IF_EXISTS:waybill_test_support>
    GTest::gmock GTest::gtest_main)
  # Paths go to the few files that name them alone: all others compile the same in every checkout.
  foreach(source ${T_SOURCES})
    file(STRINGS ${source} paths REGEX "WAYBILL_(TEST_DATA|SOURCE_DIR)" LIMIT_COUNT 1)
    if(paths)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
        WAYBILL_TEST_DATA="${WAYBILL_TEST_DATA}" WAYBILL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    endif()
  endforeach()
  # The code under test is optimised as users get it; the tests themselves only have to compile fast.
  target_compile_options(${name} PRIVATE -O0)
  waybill_precompiled(${name} base_test ${WAYBILL_PCH} <gtest/gtest.h>)
  add_test(NAME ${name} COMMAND ${name} ${T_ARGS})
  if(T_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}")
  endif()
endfunction()
