#include <gtest/gtest.h>

#include "cpu/kernels/testing/matrix_case.h"

namespace waybill::cpu {
namespace {

MatrixCase Make(const std::string& equation, const Shape& a, const Shape& b) {
  MatrixCase c;
  c.op = "Einsum";
  c.version = 12;
  c.inputs = {Random(a, 1), Random(b, 2)};
  c.Text("equation", equation);
  return c;
}

TEST(EinsumKernel, ProductsOfEveryLayout) {
  struct One {
    const char* equation;
    Shape a, b;
  };
  const One cases[] = {
      {"bhid,bhjd->bhij", {2, 3, 5, 8}, {2, 3, 7, 8}},
      {"bhij,bhjd->bhid", {2, 3, 5, 7}, {2, 3, 7, 9}},
      {"bqhd,bkhd->bhqk", {2, 5, 3, 8}, {2, 7, 3, 8}},
      {"bhqk,bkhd->bqhd", {2, 3, 5, 7}, {2, 7, 3, 8}},
      {"ij,jk->ik", {4, 5}, {5, 6}},
      {"ij,jk->ki", {4, 5}, {5, 6}},
      {"ji,jk->ik", {5, 4}, {5, 6}},
      {"ij,kj->ik", {4, 5}, {6, 5}},
      {"i,j->ij", {4}, {5}},
      {"i,i->", {4}, {4}},
      {"ij,j->i", {4, 9}, {9}},
      {"i,ij->j", {9}, {9, 4}},
      {"bi,bi->b", {4, 9}, {4, 9}},
      {"abc,cbd->ad", {3, 4, 5}, {5, 4, 6}},  // the summed axes lie in two orders
      {"abc,bcd->ad", {3, 4, 5}, {4, 5, 6}},
      {"...ij,...jk->...ik", {2, 1, 4, 5}, {3, 5, 6}},
      {"ij,jk->ik", {4, 1}, {5, 6}},  // a repeated summed axis
      {"bij,bjk->bik", {1, 4, 5}, {3, 5, 6}},
      {"bij,bjk->bik", {3, 0, 5}, {3, 5, 6}},
      {"bij,bjk->bik", {3, 4, 0}, {3, 0, 6}},
      {"bij,bjk->bik", {2, 1, 1}, {2, 1, 1}},
  };
  for (const One& one : cases) {
    SCOPED_TRACE(one.equation);
    Make(one.equation, one.a, one.b).Agrees("einsum.product", 1e-5, 3e-5);
  }
}

TEST(EinsumKernel, OthersAreRefused) {
  Make("ii,ij->ij", {3, 3}, {3, 4}).Refused("no product of matrices");
  Make("ij,jk->k", {3, 3}, {3, 4}).Refused("no product of matrices");
}

}  // namespace
}  // namespace waybill::cpu
