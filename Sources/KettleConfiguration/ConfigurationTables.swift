import KettleModel

/// The arrays of tables in the file. The header `[[rules]]` begins each element, and a key of the
/// first one has the full name `rules.1.host`.
package enum ConfigurationArray: String, CaseIterable, Sendable {
  case limitsSchedule = "limits.schedule"
  case rules

  /// Stands for the number of an element in the name of a key, as in `rules.#.host`.
  static let numberSign = "#"

  /// Whether an entry belongs to an element, or is written as if it did.
  func contains(_ entry: TOMLEntry) -> Bool { entry.name.name(in: rawValue) != nil }

  /// Reads the elements. One with a problem is left out: it would apply to other downloads, or at
  /// other times, than the user intended.
  ///
  /// - Parameters:
  ///   - start: returns an element without keys, given its number.
  ///   - check: appends what is wrong with an element as a whole to the problems of its keys.
  /// - Returns: the elements without problems in the order of the file, and the problems of the
  ///   others.
  func read<Element>(
    _ document: TOMLDocument, keys: [ConfigurationKey<Element>], start: (Int) -> Element,
    check: (Element, TOMLElement, inout [ConfigurationProblem]) -> Void
  ) -> ([(number: Int, element: Element)], [ConfigurationProblem]) {
    var elements: [(number: Int, element: Element)] = []
    var problems: [ConfigurationProblem] = []
    for place in document.elements where place.array == rawValue {
      var element = start(place.number)
      var found = document.problems { entry in
        guard entry.element == place else { return nil }
        let name = "\(rawValue).\(Self.numberSign).\(place.key(of: entry))"
        return keys.apply(entry, of: name, to: &element)
      }
      check(element, place, &found)
      if found.isEmpty { elements.append((place.number, element)) }
      problems += found
    }
    problems += document.problems { entry in
      contains(entry) && entry.element?.array != rawValue
        ? .notInArray(entry.name, of: rawValue) : nil
    }
    return (elements, problems)
  }
}

/// `[hosts.HOST]`: the user's settings for single hosts, each with those below it.
enum HostsTable {
  private static let name = "hosts"
  private static let proxy = "proxy"

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.name(in: name) != nil }

  /// Applies an entry, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    guard let (host, key) = parts(of: entry.name), HostName.isUsable(host) else {
      return .unknownKey(entry.name)
    }
    return apply(entry, key: key, of: HostName.plain(host), to: &configuration)
  }

  private static func apply(
    _ entry: TOMLEntry, key: String, of host: String, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    ConfigurationKeys.host(host).apply(entry, of: "\(name).HOST.\(key)", to: &configuration)
  }

  /// Returns the host that an entry of `[proxy.hosts]` is about; nil for any other entry.
  static func hostOfProxy(_ entry: TOMLEntry) -> String? {
    entry.name.name(in: "proxy.hosts")?.lowercased()
  }

  /// Applies an entry of `[proxy.hosts]`, or returns its problem. It sets what `proxy` sets here.
  static func applyProxy(
    _ entry: TOMLEntry, of host: String, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    apply(entry, key: proxy, of: host, to: &configuration)
  }

  /// Finds the hosts whose proxy is also given in `[proxy.hosts]`. The one in this table applies.
  static func proxyConflicts(in document: TOMLDocument) -> [ConfigurationProblem] {
    let others = Dictionary(
      document.entries.compactMap { entry in hostOfProxy(entry).map { ($0, entry.name) } },
      uniquingKeysWith: { first, _ in first })
    return document.problems { entry in
      guard let (host, key) = parts(of: entry.name), key == proxy,
        let other = others[HostName.plain(host)]
      else { return nil }
      return .givenTwice(entry.name, insteadOf: other)
    }
  }

  /// Returns the key that was probably meant by one of this table.
  static func nearestKey(to key: String) -> String? {
    guard let (host, last) = parts(of: key) else { return nil }
    return NearestWord.of(last, in: ConfigurationKeys.host(host).map(\.lastName))
      .map { "\(name).\(host).\($0)" }
  }

  /// Divides `hosts.HOST.KEY`; nil for any other name.
  private static func parts(of fullName: String) -> (host: String, key: String)? {
    guard let rest = fullName.name(in: name), let dot = rest.lastIndex(of: ".") else { return nil }
    return (String(rest[..<dot]), String(rest[dot...].dropFirst()))
  }
}

/// `[queues.NAME]`: how many transfers of a queue run at once, and when.
enum QueuesTable {
  private static let name = "queues"

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.name(in: name) != nil }

  /// Applies an entry, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    guard let (queue, key) = parts(of: entry.name) else { return .unknownKey(entry.name) }
    return ConfigurationKeys.queues.apply(
      entry, of: "\(name).NAME.\(key)", to: &configuration.queues[queue, default: .init()])
  }

  /// Returns the key that was probably meant by one of this table.
  static func nearestKey(to key: String) -> String? {
    guard let (queue, last) = parts(of: key) else { return nil }
    return NearestWord.of(last, in: ConfigurationKeys.queues.map(\.lastName))
      .map { "\(name).\(queue.text).\($0)" }
  }

  /// Divides `queues.NAME.KEY`; nil for any other name.
  private static func parts(of fullName: String) -> (queue: QueueName, key: String)? {
    let parts = fullName.name(in: name)?.split(separator: ".", omittingEmptySubsequences: false)
    guard let parts, parts.count == 2, let queue = QueueName(String(parts[0])) else { return nil }
    return (queue, String(parts[1]))
  }
}
