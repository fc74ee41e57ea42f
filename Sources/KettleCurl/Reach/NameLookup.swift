import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// Asks the system why a name could not be looked up, because libcurl reports an unknown name and
/// silent name servers with the same code.
///
/// getaddrinfo(3) blocks for as long as the name servers are silent, so it runs on threads of its
/// own. Requests for a name that is being looked up share its answer.
final class NameLookup: Sendable {
  enum Answer: Sendable, Hashable {
    /// The name does not exist or has no address.
    case unknown
    /// No name server gave an answer, or the name has an address by now.
    case temporary
  }

  typealias Report = @Sendable (Answer) -> Void

  /// Later answers are not waited for.
  static let answerMilliseconds: Int64 = 3000
  /// With more names than this, further ones count as unanswered.
  private static let nameCountMax = 64

  private let pool = WorkerPool("kettle.names", width: 4)
  private let reports = Mutex<[String: [Report]]>([:])

  /// - Parameters:
  ///   - host: as in a URL.
  ///   - report: called once, on another thread.
  func ask(about host: String, report: @escaping Report) {
    let begins = reports.withLock { reports in
      reports[host, default: []].append(report)
      return reports[host]?.count == 1
    }
    guard begins else { return }
    let isTooMany = reports.withLock { $0.count > Self.nameCountMax }
    pool.async { self.finish(host, isTooMany ? .temporary : Self.answer(for: host)) }
  }

  /// - Parameters:
  ///   - host: as in a URL.
  ///   - report: called once, on another thread; with no address when the lookup fails.
  func findAddresses(of host: String, report: @escaping @Sendable ([IPAddress]) -> Void) {
    pool.async {
      let found = Self.look(up: host).found
      defer { if let found { freeaddrinfo(found) } }
      report(
        sequence(first: found) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap(Self.address)
      )
    }
  }

  private static func address(_ entry: UnsafeMutablePointer<addrinfo>?) -> IPAddress? {
    guard let entry, let start = entry.pointee.ai_addr else { return nil }
    var storage = sockaddr_storage()
    let byteCount = min(Int(entry.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: start, count: byteCount))
    }
    return IPAddress(storage)
  }

  private func finish(_ host: String, _ answer: Answer) {
    let waiting = reports.withLock { $0.removeValue(forKey: host) } ?? []
    for report in waiting { report(answer) }
  }

  private static func answer(for host: String) -> Answer {
    let (code, found) = look(up: host)
    if let found { freeaddrinfo(found) }
    return meaning(of: code)
  }

  private static func look(up host: String) -> (
    code: Int32, found: UnsafeMutablePointer<addrinfo>?
  ) {
    var hints = addrinfo()
    // The host of a URL may contain letters beyond ASCII.
    hints.ai_flags = acceptsAnyLetters
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &found)
    return (code, found)
  }

  /// The meaning of a result of getaddrinfo(3).
  static func meaning(of code: Int32) -> Answer {
    switch code {
    case EAI_NONAME, noData, noAddressOfFamily, notEncodable: .unknown
    default: .temporary
    }
  }

  // AI_IDN, EAI_NODATA, EAI_ADDRFAMILY and EAI_IDN_ENCODE of netdb.h, which hides them without
  // _GNU_SOURCE.
  private static let acceptsAnyLetters: Int32 = 0x40
  static let noData: Int32 = -5
  static let noAddressOfFamily: Int32 = -9
  /// In the C locale every letter beyond ASCII.
  static let notEncodable: Int32 = -105
}

/// The reach of the host in a URL, as far as it is known before a proxy connects to it.
///
/// The proxy looks names up, so there is no address to judge. Literal addresses and names that only
/// local networks use are recognized. Any other name may still lead the proxy anywhere, which only
/// the proxy's own rules can prevent.
enum ProxiedHost: Equatable {
  case address(AddressScope)
  case nameOfThisMachine
  case localName
  /// Written with characters that are equivalent to others (UTS 46), such as full-width letters.
  case disguisedName
  case publicName

  /// - Parameter host: In lower case; an IPv6 address in brackets.
  init(_ host: String) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed {
      // An invalid address is not public either.
      let address = IPAddress(host.dropFirst().dropLast())
      self = .address(address.map { AddressScope(of: $0) } ?? .reserved)
    } else if let address = Self.looseIPv4(host) {
      self = .address(AddressScope(of: .v4(address)))
    } else if host.unicodeScalars.contains(where: Self.isDisguise) {
      self = .disguisedName
    } else {
      self = Self.name(host)
    }
  }

  /// The reach of the host that the proxy would connect to.
  var reach: NetworkReach {
    switch self {
    case .address(let scope): scope.reach
    case .nameOfThisMachine, .disguisedName: .machine
    case .localName: .network
    case .publicName: .world
    }
  }

  /// The reach of the host that sent a reply through the proxy.
  var serverReach: NetworkReach { self == .disguisedName ? .world : reach }

  /// A description for the sentence about a refused URL.
  var phrase: String {
    switch self {
    case .address(let scope): scope.phrase
    case .nameOfThisMachine: "a name of this machine"
    case .localName: "a name of local networks"
    case .disguisedName: "a name with look-alike characters"
    case .publicName: "a public name"
    }
  }

  // MARK: - Names

  /// RFC 6761.
  private static let suffixesOfThisMachine: [[Substring]] = [
    ["localhost"], ["localhost", "localdomain"],
  ]

  /// RFC 6762 and RFC 8375; the others are used by routers and companies and are not delegated.
  private static let localSuffixes: [[Substring]] = [
    ["local"], ["home", "arpa"], ["internal"], ["localdomain"], ["lan"], ["intranet"], ["home"],
    ["corp"], ["private"],
  ]

  /// Ignores a trailing dot, which denotes the root.
  private static func name(_ name: String) -> ProxiedHost {
    let labels = name.split(separator: ".")
    func ends(in suffixes: [[Substring]]) -> Bool {
      suffixes.contains { labels.suffix($0.count).elementsEqual($0) }
    }
    if ends(in: suffixesOfThisMachine) { return .nameOfThisMachine }
    return labels.count < 2 || ends(in: localSuffixes) ? .localName : .publicName
  }

  private static func isDisguise(_ scalar: Unicode.Scalar) -> Bool {
    // An ideographic full stop separates labels.
    scalar.value > 127 && (scalar.properties.changesWhenNFKCCaseFolded || scalar == "\u{3002}")
  }

  // MARK: - Addresses

  /// Parses one to four numbers, each decimal, octal or hexadecimal, as inet_aton(3) does: many
  /// resolvers accept `127.1` and `0x7f000001` as addresses.
  private static func looseIPv4(_ text: String) -> UInt32? {
    let bare = text.hasSuffix(".") ? text.dropLast() : text[...]
    let parts = bare.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    var address: UInt64 = 0
    for (index, part) in parts.enumerated() {
      guard let number = number(part) else { return nil }
      // The last number fills all remaining bytes.
      let bitCount = index == parts.count - 1 ? UInt64(8 * (5 - parts.count)) : 8
      guard number >> bitCount == 0 else { return nil }
      address = address << bitCount | number
    }
    return UInt32(truncatingIfNeeded: address)
  }

  private static func number(_ text: Substring) -> UInt64? {
    guard text.first?.isNumber == true, text.allSatisfy(\.isASCII) else { return nil }
    if text.hasPrefix("0x") {
      return text.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16)
    }
    return UInt64(text, radix: text.hasPrefix("0") ? 8 : 10)
  }
}
