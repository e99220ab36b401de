#include "hasa/train/gradient_reduction.h"

#include <gtest/gtest.h>

#include <functional>

namespace hasa {
namespace {

/// Stands for two processes with the same gradients: a sum is twice the tensor, and comes when it is waited for.
class TwoAlike : public Comm {
 public:
  explicit TwoAlike(int rank) : rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return 2; }
  int local_size() const override { return 2; }
  int local_rank() const override { return rank_; }
  void all_reduce(torch::Tensor& tensor) override { tensor.mul_(2); }
  std::unique_ptr<Started> start_all_reduce(const torch::Tensor& tensor) override {
    sent.push_back(tensor.clone());
    struct Later : Started {
      explicit Later(const torch::Tensor& tensor) : tensor(tensor) {}
      void wait() override { tensor.mul_(2); }
      torch::Tensor tensor;
    };
    return std::make_unique<Later>(tensor);
  }
  torch::Tensor all_gather(const torch::Tensor& own) override { return torch::stack({own, own}); }
  torch::Tensor reduce_scatter(const torch::Tensor& all) override { return all.select(0, rank_) * 2; }
  torch::Tensor all_to_all(const torch::Tensor& rows, std::span<const std::int64_t>,
                           std::span<const std::int64_t>) override {
    return rows;
  }
  void broadcast(torch::Tensor&, int) override {}
  void barrier() override {}
  void abandon(const std::string&) noexcept override {}
  std::int64_t bytes() const override { return 0; }
  std::int64_t calls() const override { return std::ssize(sent); }

  std::vector<torch::Tensor> sent;

 private:
  int rank_;
};

constexpr std::int64_t kRow = 4 * 4;  // bytes of four weights

class GradientReductionTest : public ::testing::Test {
 protected:
  torch::Tensor weight(double value) { return torch::full({4}, value).requires_grad_(); }
  torch::Tensor a_ = weight(1), b_ = weight(2), c_ = weight(3);
  TwoAlike comm_{0};

  void clear() {
    for (torch::Tensor* each : {&a_, &b_, &c_}) each->mutable_grad() = torch::Tensor();
  }
  /// How many buckets had been sent when the backward pass came to x.
  static torch::Tensor note(const torch::Tensor& x, const std::function<void()>& look) {
    x.register_hook([look](const torch::Tensor&) { look(); });
    return x;
  }
};

TEST_F(GradientReductionTest, SendsTheLastLayersWhileThePassGoesOnFromTheSecondStepOn) {
  GradientReduction reduction({{a_}, {b_}, {c_}}, comm_, kRow);
  for (const std::size_t sent_on_the_way : {0, 2}) {
    clear();
    comm_.sent.clear();
    std::size_t seen = 99;
    // The pass comes to c first, then to b, and to a last.
    const torch::Tensor first = note(a_ * 1, [&] { seen = comm_.sent.size(); });
    reduction.last_pass_begins();
    ((first * b_).exp() * c_).sum().backward();
    const torch::Tensor of_a = a_.grad().clone(), of_c = c_.grad().clone();
    reduction.finish();
    EXPECT_EQ(seen, sent_on_the_way);
    ASSERT_EQ(comm_.sent.size(), 3);
    EXPECT_TRUE(torch::equal(comm_.sent[0], of_c));
    EXPECT_TRUE(torch::equal(comm_.sent[2], of_a));
    EXPECT_TRUE(torch::equal(a_.grad(), of_a * 2));
    EXPECT_TRUE(torch::equal(c_.grad(), of_c * 2));
  }
}

TEST_F(GradientReductionTest, SendsNothingBeforeTheEndWhereNobodySaysWhichPassIsTheLast) {
  GradientReduction reduction({{a_}, {b_}}, comm_, kRow);
  for (int step = 0; step < 2; ++step) {
    clear();
    comm_.sent.clear();
    (a_ * b_).sum().backward();
    (a_ * b_).sum().backward();
    EXPECT_TRUE(comm_.sent.empty());
    reduction.finish();
    EXPECT_TRUE(torch::equal(a_.grad(), torch::full({4}, 2.0 * 2 * 2)));
  }
}

TEST_F(GradientReductionTest, HasTheSameBucketsWhetherTheyAreSentOnTheWayOrAtTheEnd) {
  std::vector<std::vector<torch::Tensor>> sent;
  for (const bool on_the_way : {false, true}) {
    TwoAlike comm(0);
    GradientReduction reduction({{a_}, {b_}, {c_}}, comm, 2 * kRow);
    for (int step = 0; step < 2; ++step) {
      clear();
      comm.sent.clear();
      if (on_the_way) reduction.last_pass_begins();
      (a_ * b_ * c_).sum().backward();
      reduction.finish();
    }
    sent.push_back(comm.sent);
  }
  ASSERT_EQ(sent[0].size(), 2);
  ASSERT_EQ(sent[1].size(), 2);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(torch::equal(sent[0][i], sent[1][i]));
}

TEST_F(GradientReductionTest, IsNotHeldUpByAParameterThatHasNoGradientAndSumsOneThatComesLate) {
  GradientReduction reduction({{a_}, {b_}, {c_}}, comm_, 3 * kRow);
  std::vector<std::size_t> sent_on_the_way;
  for (const bool with_c : {false, false, true, true}) {
    clear();
    comm_.sent.clear();
    reduction.last_pass_begins();
    torch::Tensor loss = (a_ * b_).sum();
    if (with_c) loss = loss + (c_ * 5).sum();
    loss.backward();
    sent_on_the_way.push_back(comm_.sent.size());
    reduction.finish();
    EXPECT_TRUE(torch::equal(a_.grad(), torch::full({4}, 4.0)));
    EXPECT_EQ(c_.grad().defined(), with_c);
    if (with_c) {
      EXPECT_TRUE(torch::equal(c_.grad(), torch::full({4}, 10.0)));
    }
  }
  EXPECT_EQ(sent_on_the_way, (std::vector<std::size_t>{0, 1, 1, 1}));
}

TEST_F(GradientReductionTest, TakesAGradientThatAllHaveWholeFromRankZero) {
  TwoAlike second(1);
  GradientReduction reduction({{a_}, {b_, /*in_parts=*/false}}, second, kRow);
  for (int step = 0; step < 2; ++step) {
    clear();
    second.sent.clear();
    (b_ * 3).sum().backward();
    reduction.last_pass_begins();
    a_.sum().backward();
    reduction.finish();
    ASSERT_EQ(second.sent.size(), 2);
    EXPECT_TRUE(torch::equal(second.sent[0], torch::zeros({4})));
    EXPECT_TRUE(torch::equal(second.sent[1], torch::ones({4})));
  }
}

}  // namespace
}  // namespace hasa
