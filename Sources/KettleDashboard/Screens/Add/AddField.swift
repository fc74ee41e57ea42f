import KettleModel

/// The fields of the add form, from the top.
package enum AddField: Hashable, Sendable, CaseIterable {
  case urls, directory, name, title, queue, limit, start, then, checksum, headers, login, paused

  /// All fields below the URLs.
  static let settings = allCases.filter { $0 != .urls }

  func next(_ step: Int) -> AddField {
    let all = Self.allCases
    let index = all.firstIndex(of: self) ?? 0
    return all[(index + step + all.count) % all.count]
  }
}

/// What is wrong with the content of a field.
package enum AddFieldProblem: Error, Hashable, Sendable {
  case directoryUnknown(String)
  case nameUnusable
  case nameForSeveral(count: Int)
  case titleUnusable
  case titleForSeveral(count: Int)
  case queueUnusable
  case hookQuote
  case hook(HookCommand.Problem)
  case checksumUnusable
  case checksumForSeveral(count: Int)
  case limitUnusable
  case header(String)
  case loginUnusable
  case startUnusable
}

/// The values that the meaning of some fields depends on.
package struct AddFormContext: Hashable, Sendable {
  /// nil when the files are on another machine: only absolute paths are meaningful there.
  package var directories: UserDirectories?
  package var now: WallTime
  package var utcOffsetSeconds: Int

  func absolute(_ path: String) -> String? {
    guard !path.unicodeScalars.contains(where: \.isControl) else { return nil }
    if ObjectPrefix.isMeant(by: path) { return ObjectPrefix(path)?.text }
    if let directories { return directories.absolute(path) }
    return path.hasPrefix("/") ? path : nil
  }

  func time(_ text: String) -> WallTime? {
    TimeText.parse(text, now: now) {
      $0.inUTC?.advanced(byMilliseconds: -Int64(utcOffsetSeconds) * 1000)
    }
  }
}

/// Headers in the form `K: V; K: V`, or one per line when pasted.
package enum HeaderList {
  /// A semicolon separates headers only before a name and a colon: it is common in values.
  package static func ranges(_ characters: [Character]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for (index, character) in characters.enumerated() where character == ";" {
      guard startsHeader(characters[(index + 1)...]) else { continue }
      ranges.append(start..<index)
      start = index + 1
    }
    ranges.append(start..<characters.count)
    return ranges.filter { range in characters[range].contains { $0 != " " && $0 != ";" } }
  }

  /// The header is nil for a part that is not a header.
  package static func parts(_ characters: [Character]) -> [(text: String, header: HeaderField?)] {
    ranges(characters).map { range in
      let text = String(characters[range].drop { $0 == " " })
      return (text, HeaderField(text))
    }
  }

  package static func secrets(_ characters: [Character]) -> [Range<Int>] {
    ranges(characters).compactMap { range in
      guard let colon = characters[range].firstIndex(of: ":") else { return nil }
      let name = String(characters[range.lowerBound..<colon].drop { $0 == " " })
      return SecretText.isSecret(headerName: name) ? (colon + 1)..<range.upperBound : nil
    }
  }

  private static func startsHeader(_ text: ArraySlice<Character>) -> Bool {
    let rest = text.drop { $0 == " " }
    let name = rest.prefix { $0 != ":" && $0 != ";" }
    guard !name.isEmpty, name.count < rest.count, rest[rest.startIndex + name.count] == ":",
      String(name).utf8.allSatisfy(HeaderField.isTokenByte)
    else { return false }
    return rest.dropFirst(name.count + 1).first.map { $0 == " " } ?? true
  }
}
