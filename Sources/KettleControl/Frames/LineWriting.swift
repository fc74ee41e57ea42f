import FoundationEssentials
import KettleModel

/// Parameters that write themselves, because the encoder allocates an object for each of thousands
/// of values.
protocol LineWriting {
  /// Appends the output that `encoder` would produce.
  func write(into line: inout [UInt8], with encoder: JSONEncoder) throws
}

extension AddURLs.Params: LineWriting {
  /// In the order of sorted keys, like every message.
  func write(into line: inout [UInt8], with encoder: JSONEncoder) throws {
    line.append(UInt8(ascii: "{"))
    if let requestID {
      line.append(contentsOf: "\"requestID\":".utf8)
      line += try encoder.encode(requestID)
      line.append(UInt8(ascii: ","))
    }
    line.append(contentsOf: "\"template\":".utf8)
    line += try encoder.encode(Template(spec: template))
    line.append(contentsOf: ",\"urls\":[".utf8)
    for (index, url) in urls.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      line.append(UInt8(ascii: "\""))
      Self.write(url, into: &line)
      line.append(UInt8(ascii: "\""))
    }
    line.append(contentsOf: "]}".utf8)
  }

  /// No character of a URL needs an escape: its parser refuses quotes, backslashes and control
  /// characters.
  private static func write(_ url: TransferURL, into line: inout [UInt8]) {
    line.append(contentsOf: url.scheme.rawValue.utf8)
    line.append(contentsOf: "://".utf8)
    line.append(contentsOf: url.host.utf8)
    if url.port != url.scheme.defaultPort {
      line.append(UInt8(ascii: ":"))
      line.append(contentsOf: String(url.port).utf8)
    }
    line.append(contentsOf: url.path.utf8)
    guard let query = url.query else { return }
    line.append(UInt8(ascii: "?"))
    line.append(contentsOf: query.utf8)
  }
}

private struct Template: Encodable {
  let spec: TransferSpec

  func encode(to encoder: any Encoder) throws { try spec.encodeTemplate(to: encoder) }
}
