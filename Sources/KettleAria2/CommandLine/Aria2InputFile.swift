import KettleModel

/// The file of `aria2c -i`: the URIs of a download on a line, separated by tabs, and its options on
/// indented lines after it.
package struct Aria2InputFile: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var uris: [String]
    package var options: [String: RPCValue]

    package init(uris: [String], options: [String: RPCValue] = [:]) {
      self.uris = uris
      self.options = options
    }
  }

  package private(set) var entries: [Entry] = []

  package init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix(" ") || line.hasPrefix("\t") {
        readOption(line)
        continue
      }
      let uris = line.split(separator: "\t").map { String($0).trimmingBlanks() }
        .filter { !$0.isEmpty }
      if !uris.isEmpty { entries.append(Entry(uris: uris)) }
    }
  }

  private mutating func readOption(_ line: Substring) {
    guard let equals = line.firstIndex(of: "="), !entries.isEmpty else { return }
    let name = String(line[..<equals]).trimmingBlanks()
    let value = RPCValue.text(String(line[line.index(after: equals)...]).trimmingBlanks())
    let index = entries.count - 1
    if name == "header", let earlier = entries[index].options[name]?.list {
      entries[index].options[name] = .list(earlier + [value])
    } else {
      entries[index].options[name] = name == "header" ? [value] : value
    }
  }
}
