#pragma once

#include <string>

namespace hasa {

/// What a family says of a model, in words: they stand in the certificate of every number and beside every answer.
struct ModelFacts {
  std::string name;            // "TransE, 256 numbers for each entity"
  std::string language_model;  // "all-MiniLM-L6-v2, frozen"; "none"
  std::string text_template;   // "{name}: {description}, at most 40 tokens"; "none: no text is read"
  std::string context;         // "none", or which edges are read into texts or vectors
  std::string training_graph;  // what of the training graph is read when a query is answered
  std::string score;           // "cosine of query and entity"
  std::string products = "products in true float32, a sample checked against double";
  std::string candidates = "";  // what is to be said of them, where not all are scored alike
};

}  // namespace hasa
