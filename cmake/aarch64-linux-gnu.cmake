# Builds on x86-64 for AArch64 with Debian's cross compiler; tests run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
# What the emulator can not show: a fork of a program that has threads, which it does not survive, and
# how much memory the process holds, which counts the emulator's own; and one search that only takes
# longer.
string(CONCAT WAYBILL_EMULATOR_SKIPS "*.AForkedChild*:ModelFile.ReadingHalfAGibibyte*:"
       "PackedWeights.AreMappedByTheNextProcess*:SharedWeights.SixteenThreadsMakeSessions*:"
       "Search.FindsTheSmallestSlab*")
# Programs name the loader and the libraries where Debian puts them, so that the emulator need not
# take other paths than those that they ask for.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,--dynamic-linker=/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 -Wl,-rpath,/usr/aarch64-linux-gnu/lib,--disable-new-dtags")
