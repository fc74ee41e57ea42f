import KettleModel

/// A command line of aria2c, read into its options and URIs.
package struct Aria2CommandLine: Hashable, Sendable {
  /// What is wrong with it, in a sentence without a period.
  package struct Problem: Error, Hashable, Sendable {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
  }

  /// In the order given; metalinks by path are among them.
  package private(set) var uris: [String] = []
  /// The last value of each; `header` has all.
  package private(set) var options: [String: RPCValue] = [:]

  package init(_ words: [String]) throws(Problem) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        uris += rest
        return
      }
      if word.hasPrefix("--") {
        try readLong(String(word.dropFirst(2)), &rest)
      } else if word.hasPrefix("-"), word != "-" {
        try readShort(word.dropFirst(), &rest)
      } else {
        uris.append(word)
      }
    }
  }

  private mutating func readLong(
    _ text: String, _ rest: inout ArraySlice<String>
  ) throws(Problem) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    let value = parts.count == 2 ? String(parts[1]) : nil
    switch Aria2OptionTable.form(of: name) {
    case nil: throw Problem("There is no option --\(name); see aria2c(1)")
    case .flag: set(name, value ?? "true")
    case .value:
      guard let value = value ?? rest.popFirst() else {
        throw Problem("The option --\(name) needs a value")
      }
      set(name, value)
    }
  }

  /// Letters of flags may follow each other; the value of another is the rest, or the next word.
  private mutating func readShort(
    _ letters: Substring, _ rest: inout ArraySlice<String>
  ) throws(Problem) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let name = Aria2OptionTable.shortNames[letter] else {
        throw Problem("There is no option -\(letter); see aria2c(1)")
      }
      if Aria2OptionTable.form(of: name) == .flag {
        set(name, "true")
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
        throw Problem("The option -\(letter) needs a value")
      }
      set(name, value)
      return
    }
  }

  private mutating func set(_ name: String, _ value: String) {
    if name == "header", let earlier = options[name]?.list {
      options[name] = .list(earlier + [.text(value)])
    } else {
      options[name] = name == "header" ? [.text(value)] : .text(value)
    }
  }

  /// Adds the options of a configuration file, one `name=value` on each line. Those of the command
  /// line go before them.
  package mutating func addConfiguration(_ text: String) {
    let own = options
    options = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.drop { $0 == " " || $0 == "\t" }
      guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
      set(
        String(line[..<equals]).trimmingBlanks(),
        String(line[line.index(after: equals)...]).trimmingBlanks())
    }
    options.merge(own) { $1 }
  }

  /// Takes an option that the caller handles itself.
  package mutating func take(_ name: String) -> String? {
    let value = options.removeValue(forKey: name)?.text
    return value?.isEmpty == true ? nil : value
  }

  /// Takes a flag. Returns false unless it is set.
  package mutating func takeFlag(_ name: String) -> Bool { take(name) == "true" }
}
