import Foundation
@preconcurrency import Glibc

@_silgen_name("unshare") private func unshareNamespaces(_ flags: Int32) -> Int32
@_silgen_name("setns") private func enterNamespace(_ descriptor: Int32, _ type: Int32) -> Int32

/// A network namespace in which a test may add and remove interfaces.
final class NetworkNamespace: Sendable {
  private static let network: Int32 = 0x4000_0000
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Returns nil if that is not permitted, or ip(8) is missing.
  static func make() async -> NetworkNamespace? {
    guard program != nil else { return nil }
    let descriptor = await onThread { () -> Int32 in
      guard unshareNamespaces(network) == 0 else { return -1 }
      return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { return nil }
    let made = NetworkNamespace(descriptor: descriptor)
    // Kernels without the driver have no such interface.
    guard await made.ip("link add v0 type veth peer name v1") == 0,
      await made.ip("link del v0") == 0
    else { return nil }
    return made
  }

  private static let program: String? = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
    (path: String) in access(path, X_OK) == 0
  }

  /// Runs `body` on a thread in the namespace.
  func inside<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer? {
    await Self.onThread { [descriptor] in
      enterNamespace(descriptor, Self.network) == 0 ? body() : nil
    }
  }

  /// Runs ip(8) and returns its exit status.
  @discardableResult
  func ip(_ words: String) async -> Int32 {
    await inside {
      guard let program = Self.program else { return -1 }
      let arguments = (["ip"] + words.split(separator: " ").map(String.init)).map { strdup($0) }
      defer { for argument in arguments { free(argument) } }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
      var processID: pid_t = 0
      guard posix_spawn(&processID, program, &actions, nil, arguments + [nil], environ) == 0 else {
        return -1
      }
      var status: Int32 = 0
      while waitpid(processID, &status, 0) == -1, errno == EINTR {}
      return status
    } ?? -1
  }

  private static func onThread<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
