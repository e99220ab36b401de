#pragma once

/// The whole program, once main.cpp has prepared its surroundings. Returns the exit code.
extern "C" int hasa_program(int argc, char** argv);
