#pragma once

// Small graphs that the tests of this folder share; never included by the library.

#include <string>

#include "hasa/kg/read_benchmark.h"

namespace hasa::testing {

/// Texts of a benchmark folder, to be spoilt by a test before they are read.
struct SmallBenchmark {
  std::string train = "dog\thypernym\tcanine\ncanine\thypernym\tanimal\nfox\thypernym\tcanine\npaw\tpart_of\tdog\n";
  std::string valid = "paw\tpart_of\tfox\n";
  std::string test = "fox\thypernym\tanimal\n";
  std::string entities =
      "animal\tAnimal\ta living being\ncanine\tcanine\ta dog-like animal\ndog\tDog\ta domestic canine\n"
      "fox\tFox\ta wild canine\npaw\tpaw\ta foot with claws\n";
  std::string relations = "hypernym\tis a kind of\npart_of\tis part of\n";
  bool with_texts = true;

  BenchmarkTexts texts() const {
    BenchmarkTexts texts{"benchmark small", {"train.txt", train}, {"valid.txt", valid}, {"test.txt", test}, {}, {}};
    if (with_texts) {
      texts.entities = {"entities.tsv", entities};
      texts.relations = {"relations.tsv", relations};
    }
    return texts;
  }
  Graph read(const ImportOptions& options = {}) const { return parse_benchmark(texts(), options); }
};

}  // namespace hasa::testing
