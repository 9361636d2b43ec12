// Einsum that is a matrix product: which node it becomes, and that nothing changes.
#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::ModelWriter;

Value Wave(const Shape& shape, float step) {
  std::vector<float> out;
  for (int64_t i = 0; i < shape.elems(); ++i) out.push_back(std::sin(step * static_cast<float>(i)));
  return MakeTensor<float>(shape, out);
}

struct EinsumCase {
  std::string equation;
  Shape a, b, out;
  size_t einsums, products, fused, transposes;
};

TEST(EinsumRewrite, ProductsInEveryOrder) {
  const EinsumCase cases[] = {
      {"bhid,bhjd->bhij", {2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 4, 6}, 0, 0, 1, 0},
      {" b h i j , b h j d -> b h i d", {2, 3, 4, 5}, {2, 3, 5, 6}, {2, 3, 4, 6}, 0, 1, 0, 0},
      {"ik,kj->ij", {4, 5}, {5, 6}, {4, 6}, 0, 1, 0, 0},
      {"ki,kj->ij", {5, 4}, {5, 6}, {4, 6}, 0, 0, 1, 0},
      {"ik,kj->ji", {4, 5}, {5, 6}, {6, 4}, 0, 0, 1, 0},
      {"ik,jk", {4, 5}, {6, 5}, {4, 6}, 0, 0, 1, 0},
      {"bqhd,bkhd->bhqk", {2, 4, 3, 5}, {2, 6, 3, 5}, {2, 3, 4, 6}, 0, 1, 0, 2},
      {"bhij,bhjd->bihd", {2, 3, 4, 5}, {2, 3, 5, 6}, {2, 4, 3, 6}, 0, 1, 0, 1},
      {"...ij,...jk->...ik", {2, 4, 5}, {2, 5, 6}, {2, 4, 6}, 0, 1, 0, 0},
      // Batch dimensions of 1 repeat, those of the sum would too.
      {"bij,bjk->bik", {1, 4, 5}, {3, 5, 6}, {3, 4, 6}, 0, 1, 0, 0},
      {"bij,bjk->bik", {2, 4, 1}, {2, 5, 6}, {2, 4, 6}, 1, 0, 0, 0},
      // No matrix products.
      {"ij,ij->ij", {4, 5}, {4, 5}, {4, 5}, 1, 0, 0, 0},
      {"ij,ij->i", {4, 5}, {4, 5}, {4}, 1, 0, 0, 0},
      {"ii,ij->ij", {4, 4}, {4, 5}, {4, 5}, 1, 0, 0, 0},
      {"ijk,kl->l", {2, 3, 4}, {4, 5}, {5}, 1, 0, 0, 0},
      {"abk,kj->abj", {2, 3, 4}, {4, 5}, {2, 3, 5}, 1, 0, 0, 0},
  };
  for (const EinsumCase& c : cases) {
    SCOPED_TRACE(c.equation);
    ModelWriter m;
    m.Opset("", 17);
    m.Opset("com.microsoft", 1);
    const auto dims = [](const Shape& shape) {
      onnx::ShapeWriter out;
      for (const int64_t dim : shape.dims()) out.emplace_back(dim);
      return out;
    };
    m.graph().Input("a", onnx::kFloat, dims(c.a));
    m.graph().Input("b", onnx::kFloat, dims(c.b));
    m.graph().Node("Einsum", {"a", "b"}, {"y"}).String("equation", c.equation);
    m.graph().Output("y", onnx::kFloat, dims(c.out));
    const Rewritten rewritten = RewriteBytes(m.bytes(), {graph::RewriteLevel::kExtended});
    EXPECT_EQ(rewritten.Count("Einsum"), c.einsums);
    EXPECT_EQ(rewritten.Count("MatMul"), c.products);
    EXPECT_EQ(rewritten.Count("FusedMatMul"), c.fused);
    EXPECT_EQ(rewritten.Count("Transpose"), c.transposes);
    ExpectSameAtAllLevels(m.bytes(), {Wave(c.a, 0.7f), Wave(c.b, 1.3f)});
  }
}

}  // namespace
}  // namespace waybill::test
