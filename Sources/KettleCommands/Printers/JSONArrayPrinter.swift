import KettleControl

/// Prints an array one element per line, so that a long one is never held in memory.
struct JSONArrayPrinter {
  private let console: any Console
  private var isEmpty = true

  init(on console: any Console) throws(ConsoleError) {
    self.console = console
    try console.write("[", to: .output)
  }

  mutating func print(_ values: [JSONValue]) throws(ConsoleError) {
    var text = ""
    for value in values {
      text += (isEmpty ? "\n" : ",\n") + value.text
      isEmpty = false
    }
    if !text.isEmpty { try console.write(text, to: .output) }
  }

  func end() throws(ConsoleError) { try console.write(isEmpty ? "]\n" : "\n]\n", to: .output) }
}
