#include "graph/schema/schema.h"

#include <algorithm>

#include "graph/schema/internal.h"
#include "graph/schema/tables/tables.gen.h"

namespace waybill::graph::schema {

namespace {

struct Key {
  std::string_view domain, name;
};

// Order of the tables: by domain, then name, as bytes.
bool Before(const OpSchema& schema, const Key& key) {
  return schema.domain != key.domain ? schema.domain < key.domain : schema.name < key.name;
}
bool Matches(const OpSchema& schema, const Key& key) {
  return schema.domain == key.domain && schema.name == key.name;
}

// The versions of one operator, oldest first: a run of pointers or of objects.
template <typename Range, typename Get>
const OpSchema* Newest(const Range& range, const Key& key, int opset, Get get) {
  auto it = std::lower_bound(range.begin(), range.end(), key,
                             [&](const auto& item, const Key& k) { return Before(get(item), k); });
  const OpSchema* best = nullptr;
  for (; it != range.end() && Matches(get(*it), key) && get(*it).since_version <= opset; ++it) {
    best = &get(*it);
  }
  return best;
}

template <typename Range, typename Get>
const OpSchema* Oldest(const Range& range, const Key& key, Get get) {
  const auto it =
      std::lower_bound(range.begin(), range.end(), key,
                       [&](const auto& item, const Key& k) { return Before(get(item), k); });
  return it != range.end() && Matches(get(*it), key) ? &get(*it) : nullptr;
}

const OpSchema& FromPointer(const OpSchema* schema) { return *schema; }
const OpSchema& FromObject(const OpSchema& schema) { return schema; }

std::string_view Canonical(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

struct DomainVersions {
  std::string_view domain;
  int default_opset;
  int newest_opset;
};

// Domains with a version of their own; com.ms.internal.nhwc and the like have no operators here.
constexpr DomainVersions kDomains[] = {
    {"", 27, 28},
    {"ai.onnx.ml", 5, 5},
    {"ai.onnx.preview", 1, 1},
    {"ai.onnx.preview.training", 1, 1},
    {"ai.onnx.training", 1, 1},
    {"com.microsoft", 1, 1},
    {"waybill", 1, 1},
};

const DomainVersions* FindDomain(std::string_view domain) {
  for (const DomainVersions& entry : kDomains) {
    if (entry.domain == Canonical(domain)) return &entry;
  }
  return nullptr;
}

const Param* ParamAt(std::span<const Param> params, size_t i) {
  if (i < params.size()) return &params[i];
  if (!params.empty() && params.back().option == Option::kVariadic) return &params.back();
  return nullptr;
}

void AppendNames(std::string& out, DTypeMask mask, std::string_view before,
                 std::string_view after) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (!out.empty()) out += ", ";
    out += before;
    out += DTypeName(static_cast<DType>(i));
    out += after;
  }
}

}  // namespace

std::string_view AttrTypeName(AttrType type) {
  constexpr std::string_view kNames[] = {"undefined",
                                         "float",
                                         "int",
                                         "string",
                                         "tensor",
                                         "graph",
                                         "list of floats",
                                         "list of ints",
                                         "list of strings",
                                         "list of tensors",
                                         "list of graphs",
                                         "sparse tensor",
                                         "list of sparse tensors",
                                         "type",
                                         "list of types"};
  const auto i = static_cast<size_t>(type);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

bool TypeConstraint::Allows(const ValueType& type) const {
  const auto has = [](DTypeMask mask, const ValueType& t) { return (mask & MaskOf(t.dtype)) != 0; };
  switch (type.kind) {
    case ValueKind::kTensor:
      return has(tensor, type);
    case ValueKind::kSequence:
      if (type.element && type.element->is_tensor() && has(seq, *type.element)) return true;
      break;
    case ValueKind::kOptional: {
      const ValueType* inner = type.element.get();
      if (inner && inner->is_tensor() && has(optional, *inner)) return true;
      if (inner && inner->kind == ValueKind::kSequence && inner->element &&
          inner->element->is_tensor() && has(optional_seq, *inner->element)) {
        return true;
      }
      break;
    }
    default:
      break;
  }
  if (others.empty()) return false;
  const std::string text = type.TypeString();
  return std::any_of(others.begin(), others.end(), [&](std::string_view o) { return o == text; });
}

std::string TypeConstraint::ToString() const {
  std::string out;
  AppendNames(out, tensor, "", "");
  AppendNames(out, seq, "seq(", ")");
  AppendNames(out, optional, "optional(", ")");
  AppendNames(out, optional_seq, "optional(seq(", "))");
  for (const std::string_view other : others) {
    if (!out.empty()) out += ", ";
    out += other;
  }
  return out;
}

const Attr* OpSchema::FindAttr(std::string_view attr) const {
  for (const Attr& item : attrs) {
    if (item.name == attr) return &item;
  }
  return nullptr;
}

const Param* OpSchema::Input(size_t i) const { return ParamAt(inputs, i); }
const Param* OpSchema::Output(size_t i) const { return ParamAt(outputs, i); }

std::span<const OpSchema* const> AllSchemas() { return tables::kIndex; }

const OpSchema* Find(std::string_view domain, std::string_view op_type, int opset) {
  const Key key{Canonical(domain), op_type};
  if (const OpSchema* schema = Newest(AllSchemas(), key, opset, FromPointer)) return schema;
  if (const OpSchema* schema = Newest(ExtraSchemas(), key, opset, FromObject)) return schema;
  return Newest(InternalSchemas(), key, opset, FromObject);
}

int FirstVersion(std::string_view domain, std::string_view op_type) {
  const Key key{Canonical(domain), op_type};
  const OpSchema* schema = Oldest(AllSchemas(), key, FromPointer);
  if (schema == nullptr) schema = Oldest(ExtraSchemas(), key, FromObject);
  if (schema == nullptr) schema = Oldest(InternalSchemas(), key, FromObject);
  return schema ? schema->since_version : 0;
}

bool KnownOperator(std::string_view domain, std::string_view op_type) {
  return FirstVersion(domain, op_type) != 0;
}

bool KnownDomain(std::string_view domain) { return FindDomain(domain) != nullptr; }

int DefaultOpset(std::string_view domain) {
  const DomainVersions* entry = FindDomain(domain);
  return entry ? entry->default_opset : 0;
}

int NewestOpset(std::string_view domain) {
  const DomainVersions* entry = FindDomain(domain);
  return entry ? entry->newest_opset : 0;
}

}  // namespace waybill::graph::schema
