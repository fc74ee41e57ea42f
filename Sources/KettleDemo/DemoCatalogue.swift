/// The files that the demo origin serves.
package struct DemoCatalogue: Hashable, Sendable {
  package var items: [DemoItem]

  package init(items: [DemoItem]) { self.items = items }

  /// Returns the item that is served under `path`, or nil.
  package func item(at path: String) -> DemoItem? {
    items.first { $0.path == path }
  }

  /// Where the list of checksums is served.
  package static let checksumsPath = "/SHA256SUMS"

  /// The files that come by themselves, as sha256sum(1) lists them.
  package var checksums: String {
    items.filter { !$0.conduct.isTrouble }.map { "\($0.sha256)  \($0.fileName)\n" }.joined()
  }
}

/// How the origin responds to requests for an item.
package enum DemoConduct: String, Hashable, Sendable, CaseIterable {
  case serves
  /// The reply to a request from the beginning breaks in the middle; the rest can be requested.
  case breaks
  /// Asks for the user `tea` and the password `pot`.
  case login
  /// Sends a web page in place of the file.
  case page
  /// There is no such file.
  case missing

  /// Whether the item comes only if the user does something about it, or not at all.
  package var isTrouble: Bool {
    switch self {
    case .serves, .breaks: false
    case .login, .page, .missing: true
    }
  }
}

/// One titled file of the catalogue.
package struct DemoItem: Hashable, Sendable {
  package var title: String
  /// Also the last component of its path; only letters, digits, `-` and `.`.
  package var fileName: String
  package var byteCount: Int64
  /// The speed of each reply, so that a person can watch and pause; several connections are faster,
  /// as with most servers.
  package var bytesPerSecond: Int64
  /// Lower-case hexadecimal digest of the whole file.
  package var sha256: String
  package var conduct: DemoConduct

  package init(
    title: String, fileName: String, byteCount: Int64, bytesPerSecond: Int64, sha256: String = "",
    conduct: DemoConduct = .serves
  ) {
    self.title = title
    self.fileName = fileName
    self.byteCount = byteCount
    self.bytesPerSecond = bytesPerSecond
    self.sha256 = sha256
    self.conduct = conduct
  }

  /// The part of its URL after host and port.
  package var path: String { "/" + fileName }
}

/// The bytes of a demo file. Each is a function of the item and its offset: nothing is stored, any
/// range can be regenerated, and a test can detect a wrong byte.
///
/// A file is a PDF with one page that describes it, around noise in a stream that no page shows.
package struct DemoContent: Sendable {
  package let byteCount: Int64
  private let head: [UInt8]
  private let tail: [UInt8]
  private let seed: UInt64

  package init(_ item: DemoItem) {
    byteCount = max(0, item.byteCount)
    // FNV-1a of the name, so that no two files have the same noise.
    seed = item.fileName.utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
    // Offsets have a fixed width, so the size of a document without noise determines how much fits.
    let empty = DemoDocument(title: item.title, noiseByteCount: 0)
    let noise = byteCount - Int64(empty.head.count + empty.tail.count)
    let document = DemoDocument(title: item.title, noiseByteCount: max(0, noise))
    head = noise >= 0 ? document.head : []
    tail = noise >= 0 ? document.tail : []
  }

  /// Returns the bytes of `range`, clamped to the file.
  package func bytes(in range: Range<Int64>) -> [UInt8] {
    let wanted = range.clamped(to: 0..<byteCount)
    return [UInt8](unsafeUninitializedCapacity: wanted.count) { buffer, count in
      var offset = wanted.lowerBound
      while offset < wanted.upperBound {
        let index = Int(offset - wanted.lowerBound)
        if isNoise(offset), offset & 7 == 0, isNoise(offset + 7), wanted.contains(offset + 7) {
          let word = noiseWord(at: offset).littleEndian
          UnsafeMutableRawBufferPointer(buffer).storeBytes(
            of: word, toByteOffset: index, as: UInt64.self)
          offset += 8
        } else {
          buffer[index] = byte(at: offset)
          offset += 1
        }
      }
      count = wanted.count
    }
  }

  private func isNoise(_ offset: Int64) -> Bool {
    offset >= Int64(head.count) && offset < byteCount - Int64(tail.count)
  }

  private func byte(at offset: Int64) -> UInt8 {
    if isNoise(offset) {
      return UInt8(truncatingIfNeeded: noiseWord(at: offset) >> UInt64((offset & 7) * 8))
    }
    if offset < Int64(head.count) { return head[Int(offset)] }
    return tail[Int(offset - (byteCount - Int64(tail.count)))]
  }

  /// The finalizer of SplitMix64, a good hash of a counter; one word contains eight bytes of noise.
  private func noiseWord(at offset: Int64) -> UInt64 {
    var value = (seed &+ UInt64(offset >> 3)) &* 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// The bytes before and after the noise of a demo file, which make it a valid PDF: objects, the
/// table of their offsets, then the offset of that table (ISO 32000-1, section 7.5).
struct DemoDocument {
  let head: [UInt8]
  let tail: [UInt8]

  init(title: String, noiseByteCount: Int64) {
    let shown = title.filter { $0.isASCII && !"()\\".contains($0) }
    let page =
      "BT /F1 24 Tf 72 720 Td (\(shown)) Tj /F1 12 Tf 0 -36 Td "
      + "(A file of the Kettle demo. The rest of it is noise.) Tj ET"
    let objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        + "/Resources << /Font << /F1 5 0 R >> >> >>",
      "<< /Length \(page.utf8.count) >>\nstream\n\(page)\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    var text = "%PDF-1.4\n"
    var offsets: [Int64] = []
    for (index, object) in objects.enumerated() {
      offsets.append(Int64(text.utf8.count))
      text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    offsets.append(Int64(text.utf8.count))
    let noiseLength = Self.padded(noiseByteCount)
    text += "\(objects.count + 1) 0 obj\n<< /Length \(noiseLength) >>\nstream\n"

    let end = "\nendstream\nendobj\n"
    let tableOffset = Int64(text.utf8.count) + noiseByteCount + Int64(end.utf8.count)
    var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
    for offset in offsets { table += Self.padded(offset) + " 00000 n \n" }
    head = Array(text.utf8)
    tail = Array(
      (end + table + "trailer\n<< /Size \(offsets.count + 1) /Root 1 0 R >>\nstartxref\n"
        + Self.padded(tableOffset) + "\n%%EOF\n").utf8)
  }

  /// Pads to ten digits, the width of an offset in the table.
  private static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 10 - digits.utf8.count)) + digits
  }
}
