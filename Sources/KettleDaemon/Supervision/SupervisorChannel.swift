import Glibc
import KettleSystem

/// Reports the state of the service to its supervisor (sd_notify(3)). Without one nothing happens.
struct SupervisorChannel: Sendable {
  enum State: String, Sendable {
    case ready = "READY=1"
    case reloading = "RELOADING=1"
    case stopping = "STOPPING=1"
    case alive = "WATCHDOG=1"
  }

  private let address: String?

  init(_ supervisor: Supervisor?) { address = supervisor?.notifyAddress }

  /// Sends one message; a supervisor that is gone is ignored.
  func report(_ state: State) {
    guard let address else { return }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(address.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
    // An at sign stands for the NUL of the abstract namespace.
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard let socket = OwnedDescriptor(opened: socket(AF_UNIX, flags, 0)) else { return }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let message = Array(state.rawValue.utf8)
    withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(
          socket.number, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
