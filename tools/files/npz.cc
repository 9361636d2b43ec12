// The zip part of .npz files: stored and deflated members, no encryption, no zip64.
#include <zlib.h>

#include <cstring>

#include "tools/files/bytes.h"
#include "tools/files/npy.h"

namespace waybill::tools {
namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr size_t kEndBytes = 22, kCentralBytes = 46, kLocalBytes = 30;

uint32_t Read(const std::string& bytes, size_t at, size_t width) {
  uint32_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  }
  return value;
}

void Write(std::string& bytes, uint32_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::string Inflate(const char* data, size_t packed, size_t unpacked, const std::string& what) {
  std::string out(unpacked, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw ToolError(what + ": zlib cannot start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));
  stream.avail_in = static_cast<uInt>(packed);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(unpacked);
  const int code = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (code != Z_STREAM_END || stream.avail_out != 0) {
    throw ToolError(what + ": a compressed member is damaged");
  }
  return out;
}

// The member whose central entry is at `at`; `what` starts the errors.
std::string Member(const std::string& bytes, size_t at, const std::string& what) {
  const uint32_t method = Read(bytes, at + 10, 2);
  const size_t packed = Read(bytes, at + 20, 4), unpacked = Read(bytes, at + 24, 4);
  const size_t local = Read(bytes, at + 42, 4);
  if (bytes.size() < kLocalBytes || local > bytes.size() - kLocalBytes ||
      Read(bytes, local, 4) != kLocal) {
    throw ToolError(what + ": a member lies outside of the file");
  }
  const size_t data = local + kLocalBytes + Read(bytes, local + 26, 2) + Read(bytes, local + 28, 2);
  if (data > bytes.size() || packed > bytes.size() - data) {
    throw ToolError(what + ": a member lies outside of the file");
  }
  if (method == 0 && packed == unpacked) return bytes.substr(data, packed);
  // Deflate cannot do better than about 1 to 1032.
  if (method != 8 || unpacked / 1100 > packed) {
    throw ToolError(what + ": a member is packed in a way that is not supported");
  }
  return Inflate(bytes.data() + data, packed, unpacked, what);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ParseNpz(const std::string& bytes,
                                                          const std::string& what) {
  size_t end = std::string::npos;
  for (size_t i = bytes.size() < kEndBytes ? 0 : bytes.size() - kEndBytes + 1; i-- > 0;) {
    if (Read(bytes, i, 4) == kEnd) {
      end = i;
      break;
    }
  }
  if (end == std::string::npos) throw ToolError(what + ": not a .npz file");
  const size_t members = Read(bytes, end + 10, 2);
  size_t at = Read(bytes, end + 16, 4);
  std::vector<std::pair<std::string, std::string>> out;
  for (size_t i = 0; i < members; ++i) {
    if (at > bytes.size() || bytes.size() - at < kCentralBytes || Read(bytes, at, 4) != kCentral) {
      throw ToolError(what + ": its directory is damaged");
    }
    const size_t name_bytes = Read(bytes, at + 28, 2);
    const size_t next =
        at + kCentralBytes + name_bytes + Read(bytes, at + 30, 2) + Read(bytes, at + 32, 2);
    if (next > bytes.size()) throw ToolError(what + ": its directory is damaged");
    std::string name = bytes.substr(at + kCentralBytes, name_bytes);
    std::string data = Member(bytes, at, what);
    if (EndsWith(name, ".npy")) name.resize(name.size() - 4);
    out.emplace_back(std::move(name), std::move(data));
    at = next;
  }
  return out;
}

std::string ToNpz(const std::vector<std::pair<std::string, std::string>>& arrays) {
  std::string out, directory;
  for (const auto& [name, data] : arrays) {
    const std::string file = name + ".npy";
    const auto crc = static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
    const auto bytes = static_cast<uint32_t>(data.size());
    const auto offset = static_cast<uint32_t>(out.size());
    const auto common = [&](std::string& to) {
      Write(to, 20, 2);    // version needed
      Write(to, 0, 2);     // flags
      Write(to, 0, 2);     // stored
      Write(to, 0, 2);     // time
      Write(to, 0x21, 2);  // 1 January 1980
      Write(to, crc, 4);
      Write(to, bytes, 4);
      Write(to, bytes, 4);
      Write(to, static_cast<uint32_t>(file.size()), 2);
      Write(to, 0, 2);  // extra
    };
    Write(directory, kCentral, 4);
    Write(directory, 20, 2);
    common(directory);
    Write(directory, 0, 2);  // comment
    Write(directory, 0, 2);  // disk
    Write(directory, 0, 2);  // internal attributes
    Write(directory, 0, 4);  // external attributes
    Write(directory, offset, 4);
    directory += file;
    Write(out, kLocal, 4);
    common(out);
    out += file;
    out += data;
    if (out.size() > 0xFFFFFFFFu) throw ToolError("the arrays are too large for one .npz file");
  }
  const auto start = static_cast<uint32_t>(out.size());
  const auto count = static_cast<uint32_t>(arrays.size());
  const auto bytes = static_cast<uint32_t>(directory.size());
  out += directory;
  Write(out, kEnd, 4);
  Write(out, 0, 4);
  Write(out, count, 2);
  Write(out, count, 2);
  Write(out, bytes, 4);
  Write(out, start, 4);
  Write(out, 0, 2);
  return out;
}

}  // namespace waybill::tools
