# Language level, warnings, sanitizers and output folders: one place, applied to every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# CMake's own default only: the sanitizer presets bring flags of their own.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

option(WAYBILL_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(WAYBILL_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")

set(_default_data "")
if(EXISTS "${CMAKE_SOURCE_DIR}/../shared/data")
  get_filename_component(_default_data "${CMAKE_SOURCE_DIR}/../shared/data" ABSOLUTE)
endif()
set(WAYBILL_TEST_DATA "${_default_data}" CACHE PATH
    "Folder with extra test data (models/, minimalloc/, onnx-backend-*.tar.zst); empty: none")

# Results must be bit-equal for every thread count and target, so no contraction behind our back.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives of these from std::string and std::optional at -O2.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    add_compile_options(-Wno-array-bounds -Wno-stringop-overread)
  endif()
endif()
if(WAYBILL_SANITIZE)
  add_compile_options(-fsanitize=${WAYBILL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WAYBILL_SANITIZE})
endif()

find_program(WAYBILL_CCACHE ccache)
if(WAYBILL_CCACHE)
  # Without these two a miss would preprocess each file apart and read the precompiled header whole
  # to hash it: half a second for files that take one.
  set(_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_DEPEND=1 CCACHE_INODECACHE=1 ${WAYBILL_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
endif()
