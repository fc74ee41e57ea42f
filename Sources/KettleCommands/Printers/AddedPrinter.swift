import KettleControl
import KettleModel

/// Prints what was queued: one id per line, or an array of objects with id and url.
///
/// It keeps the first console error and writes nothing after it.
struct AddedPrinter {
  private let console: any Console
  private let json: Bool
  private var array: JSONArrayPrinter?
  private var failure: ConsoleError?

  init(on console: any Console, json: Bool) {
    self.console = console
    self.json = json
    guard json else { return }
    do { array = try JSONArrayPrinter(on: console) } catch { failure = error }
  }

  mutating func print(_ ids: [TransferID], of request: AddRequest) {
    guard failure == nil else { return }
    do {
      if json {
        try array?.print(zip(ids, request.urls).map(Self.object))
      } else {
        var text = ""
        for id in ids { text += String(id.rawValue) + "\n" }
        try console.write(text, to: .output)
      }
    } catch {
      failure = error
    }
  }

  func end() throws(ConsoleError) {
    if let failure { throw failure }
    try array?.end()
  }

  private static func object(_ id: TransferID, _ url: TransferURL) -> JSONValue {
    .object([
      .init("id", .integer(id.rawValue)), .init("url", .string(url.text)),
    ])
  }
}
