import KettleAria2
import KettleControl
import KettleModel

/// A request of the WebExtension: `{"id": 1, "method": "add", …}`.
struct BrowserRequest: Sendable {
  enum Call: Hashable, Sendable {
    /// Asks for the version of this program.
    case hello
    case add(BrowserDownload)
    /// Asks for the transfers that run and those that ended last.
    case list
    /// Starts, pauses or removes one transfer.
    case control(TransferControlVerb, TransferID)
  }

  enum Problem: Error, Hashable, Sendable {
    case notJSON
    case unknownMethod(String)
    /// The property is missing or has another type.
    case property(String)
    case url(String, TransferURLProblem)
  }

  /// Repeated in the reply; null if the request has none.
  let id: RPCValue
  let call: Result<Call, Problem>

  init(_ message: [UInt8]) {
    guard let object = (try? JSONReader.value(message))?.object else {
      self.init(id: .null, call: .failure(.notJSON))
      return
    }
    do throws(Problem) {
      self.init(id: Self.id(of: object), call: .success(try Self.call(object)))
    } catch {
      self.init(id: Self.id(of: object), call: .failure(error))
    }
  }

  private init(id: RPCValue, call: Result<Call, Problem>) {
    self.id = id
    self.call = call
  }

  /// A number or a short text; anything else would be repeated at any length.
  private static func id(of object: [String: RPCValue]) -> RPCValue {
    switch object["id"] {
    case .integer(let number): .integer(number)
    case .text(let text) where text.utf8.count <= 64: .text(text)
    case nil, .null, .boolean, .real, .text, .list, .object: .null
    }
  }

  private static func call(_ object: [String: RPCValue]) throws(Problem) -> Call {
    guard let method = object["method"]?.text else { throw .property("method") }
    switch method {
    case "hello": return .hello
    case "list": return .list
    case "add":
      guard let download = object["download"]?.object else { throw .property("download") }
      return .add(try BrowserDownload(download))
    case "start": return .control(.start, try transferID(object))
    case "pause": return .control(.pause, try transferID(object))
    case "remove": return .control(.remove, try transferID(object))
    default: throw .unknownMethod(method)
    }
  }

  private static func transferID(_ object: [String: RPCValue]) throws(Problem) -> TransferID {
    guard case .integer(let number) = object["transfer"] else { throw .property("transfer") }
    return TransferID(rawValue: number)
  }
}
