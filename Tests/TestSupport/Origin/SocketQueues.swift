/// The bytes in the kernel between the origin and Kettle, from /proc/net/tcp (proc(5)).
struct SocketQueues {
  /// By the client's port: bytes that the origin sent and its kernel still holds.
  private var unsent: [Int: Int64] = [:]
  /// By the client's port: bytes that arrived and Kettle has not read.
  private var unread: [Int: Int64] = [:]

  init(originPort: Int) {
    // The kernel returns the table in pieces and not as an atomic snapshot: a line may be missing,
    // and bytes may move between the reads of the two ends. So it is read more than once, and the
    // first value counts for unsent bytes, the last one for unread bytes; then none are missed.
    for _ in 0..<3 {
      let table = KernelFile.text("/proc/net/tcp")
      for line in table.split(separator: "\n").dropFirst() { add(line, originPort: originPort) }
    }
  }

  private mutating func add(_ line: Substring, originPort: Int) {
    let words = line.split(separator: " ")
    guard words.count > 4, let here = Self.port(words[1]), let there = Self.port(words[2])
    else { return }
    let queues = words[4].split(separator: ":").compactMap { Int64($0, radix: 16) }
    guard queues.count == 2 else { return }
    if here == originPort, unsent[there] == nil { unsent[there] = queues[0] }
    if there == originPort { unread[here] = queues[1] }
  }

  /// The bytes between the two; nil if the table lacks an end of the connection, for example a
  /// closed one.
  func byteCount(clientPort: Int) -> Int64? {
    guard let unsent = unsent[clientPort], let unread = unread[clientPort] else { return nil }
    return unsent + unread
  }

  private static func port(_ address: Substring) -> Int? {
    address.split(separator: ":").last.flatMap { Int($0, radix: 16) }
  }
}
