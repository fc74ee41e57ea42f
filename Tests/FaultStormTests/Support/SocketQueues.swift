import Foundation

/// What lies in the kernel between the origin and Kettle, from /proc/net/tcp (proc(5)).
struct SocketQueues {
  /// By the client's port: bytes that the origin sent and Kettle has not read.
  private var byteCounts: [Int: Int64] = [:]

  init(originPort: Int) {
    let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
    for line in table.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ")
      guard words.count > 4, let here = Self.port(words[1]), let there = Self.port(words[2])
      else { continue }
      let queues = words[4].split(separator: ":").compactMap { Int64($0, radix: 16) }
      guard queues.count == 2 else { continue }
      if here == originPort { byteCounts[there, default: 0] += queues[0] }
      if there == originPort { byteCounts[here, default: 0] += queues[1] }
    }
  }

  func byteCount(clientPort: Int) -> Int64 { byteCounts[clientPort] ?? 0 }

  private static func port(_ address: Substring) -> Int? {
    address.split(separator: ":").last.flatMap { Int($0, radix: 16) }
  }
}
