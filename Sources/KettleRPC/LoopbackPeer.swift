import Glibc
import KettleSystem
import NIOCore

/// Who is at the other end of a connection within this machine.
enum LoopbackPeer {
  private static let tableByteCountMax = 16 << 20

  /// Whether the other end belongs to the user of this process. Such a program can read the secret
  /// itself. The kernel lists the user of each socket (proc(5), /proc/net/tcp).
  static func isOwnUser(_ channel: any Channel) -> Bool {
    guard let peer = channel.remoteAddress, let own = channel.localAddress,
      let peerPort = peer.port, let ownPort = own.port
    else { return false }
    let (table, address) =
      switch peer.ipAddress {
      case "127.0.0.1": ("/proc/net/tcp", "0100007F")
      case "::1": ("/proc/net/tcp6", "00000000000000000000000001000000")
      default: ("", "")
      }
    guard !table.isEmpty else { return false }
    let ends = ["\(address):\(hex(peerPort))", "\(address):\(hex(ownPort))"]
    return users(of: ends, in: table) == [UInt32(geteuid())]
  }

  private static func hex(_ port: Int) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }

  /// The users of the sockets with these local and remote addresses.
  private static func users(of ends: [String], in table: String) -> [UInt32] {
    guard let file = OwnedDescriptor(opened: open(table, O_RDONLY | O_CLOEXEC)) else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while text.count < tableByteCountMax {
      let count = read(file.number, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer.prefix(count)
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 8, omittingEmptySubsequences: true)
      guard fields.count > 7, fields[1] == ends[0], fields[2] == ends[1] else { return nil }
      return UInt32(fields[7])
    }
  }
}
