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
