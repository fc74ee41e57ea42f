import KettleModel

/// A call in the query of a GET request.
package struct QueryMessage: Hashable, Sendable {
  package var message: JSONMessage
  /// The function that the reply is passed to (JSONP); nil for plain JSON.
  package var callback: String?

  /// - Parameter query: the text after the question mark.
  package init(_ query: String) {
    var fields: [String: String] = [:]
    for pair in query.split(separator: "&").prefix(16) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first else { continue }
      let value = parts.dropFirst().first.map { Self.decoded($0) } ?? ""
      fields[String(name)] = value
    }
    callback = fields["jsoncallback"].flatMap { Self.isFunctionName($0) ? $0 : nil }
    message = Self.message(fields)
  }

  private static func message(_ fields: [String: String]) -> JSONMessage {
    let params: RPCValue?
    do throws(JSONReader.Problem) {
      params = try fields["params"].map { text throws(JSONReader.Problem) in
        guard let bytes = Base64Bytes(padded(text))?.bytes else { throw .malformed }
        return try JSONReader.value(bytes)
      }
    } catch {
      return .single(.init(id: .null, call: .failure(.notJSON)))
    }
    guard let method = fields["method"] else {
      // The parameters alone are a batch.
      return params.map(JSONMessage.init)
        ?? .single(.init(id: .null, call: .failure(.invalidRequest)))
    }
    var object: [String: RPCValue] = ["method": .text(method)]
    object["id"] = fields["id"].map(RPCValue.text)
    object["params"] = params
    return JSONMessage(.object(object))
  }

  /// A plus sign belongs to Base64; a form would have encoded it.
  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentEncoding.decodedLeniently(text.utf8), as: UTF8.self)
  }

  private static func padded(_ text: String) -> String {
    let missing = (4 - text.utf8.count % 4) % 4
    return text + String(repeating: "=", count: missing)
  }

  /// The reply is a script of this origin, so nothing else may be in it.
  private static func isFunctionName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"):
          true
        default: false
        }
      }
  }
}
