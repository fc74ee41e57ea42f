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
