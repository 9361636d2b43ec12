# Parsing headers is most of a small file's compile time, so the standard library is precompiled
# once for all layers and once, with GoogleTest, for all tests; a large layer adds its own headers.
# Files still include what they use.
set(WAYBILL_PCH <algorithm> <cmath> <cstring> <functional> <map> <memory> <optional> <span> <string>
    <variant> <vector>)

# waybill_precompiled(TARGET OWNER headers...): the target uses the precompiled headers of OWNER,
# whose flags are the same; an OWNER makes them of the standard ones and these.
function(waybill_precompiled target owner)
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${WAYBILL_PCH} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# waybill_cold(TARGET): its code runs once per model or is only compared with, so that it compiles
# fast counts for more than that it is fast.
function(waybill_cold target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT WAYBILL_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# waybill_layer(NAME deps... [PRECOMPILE headers...] [TEST_PRECOMPILE headers... | TEST_LIKE test]):
# the folder's *.cc become the static library `waybill_NAME`, its *_test.cc the test program
# `NAME_test`, those in folders `testing` the library `waybill_NAME_testing` that the tests of this
# layer and the next link. Files are found by name so that adding one edits no list. Headers are
# paths from src; those of the tests are for waybill_test.
function(waybill_layer name)
  cmake_parse_arguments(L "" "TEST_LIKE" "PRECOMPILE;TEST_PRECOMPILE" ${ARGN})
  set(deps ${L_UNPARSED_ARGUMENTS})
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
    target_link_libraries(${target} PUBLIC ${deps})
    # Fuzzers follow what reads and understands a model, not arithmetic.
    if(WAYBILL_FUZZ AND NOT name MATCHES "^(kernel|cpu)$")
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(L_PRECOMPILE)
      list(TRANSFORM L_PRECOMPILE REPLACE "(.+)" "<\\1>")
      waybill_precompiled(${target} ${target} ${L_PRECOMPILE})
    else()
      waybill_precompiled(${target} waybill_base)
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
    target_link_libraries(${target} INTERFACE ${deps})
  endif()
  if(helpers AND BUILD_TESTING)
    add_library(${target}_testing STATIC ${helpers})
    target_link_libraries(${target}_testing PUBLIC ${target} GTest::gtest)
    target_compile_options(${target}_testing PRIVATE -O0)
  endif()
  if(tests AND BUILD_TESTING)
    set(helpers)
    foreach(layer ${target} ${deps})
      list(APPEND helpers $<TARGET_NAME_IF_EXISTS:${layer}_testing>)
    endforeach()
    waybill_test(${name}_test SOURCES ${tests} LINK ${target} ${helpers}
      PRECOMPILE ${L_TEST_PRECOMPILE} LIKE ${L_TEST_LIKE})
  endif()
endfunction()

# waybill_test(NAME SOURCES files... LINK targets... [ARGS args...] [LABELS labels...]
#   [PRECOMPILE headers... | LIKE test]): one GoogleTest program, one ctest entry. PRECOMPILE adds
# headers, paths from src, to the precompiled ones; LIKE uses those of another test.
function(waybill_test name)
  cmake_parse_arguments(T "" "LIKE" "SOURCES;LINK;ARGS;LABELS;PRECOMPILE" ${ARGN})
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
  if(T_PRECOMPILE)
    list(TRANSFORM T_PRECOMPILE REPLACE "(.+)" "<\\1>")
    waybill_precompiled(${name} ${name} <gtest/gtest.h> ${T_PRECOMPILE})
  elseif(T_LIKE)
    waybill_precompiled(${name} ${T_LIKE})
  else()
    waybill_precompiled(${name} base_test <gtest/gtest.h>)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${T_ARGS})
  if(WAYBILL_EMULATOR_SKIPS)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "GTEST_FILTER=-${WAYBILL_EMULATOR_SKIPS}")
  endif()
  if(T_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}")
  endif()
endfunction()
