#pragma once

#include <string>

namespace hasa {

/// A model described in words, for the certificate and for answers.
struct ModelFacts {
  std::string name;            // "TransE, 256 numbers for each entity"
  std::string language_model;  // "all-MiniLM-L6-v2, frozen"; "none"
  std::string text_template;   // "{name}: {description}, at most 40 tokens"; "none: no text is read"
  std::string context;         // "none", or which edges are read into texts or vectors
  std::string training_graph;  // what part of the training graph is read to answer a query
  std::string score;           // "cosine of query and entity"
  std::string products = "products in true float32, a sample checked against double";
  std::string candidates = "";  // a remark, if not all candidates are scored alike
};

}  // namespace hasa
