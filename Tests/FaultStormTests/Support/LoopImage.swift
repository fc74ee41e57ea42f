import Foundation
import Testing
import TestSupport

/// A small mounted file system in a file, and what a power cut would leave of it.
final class LoopImage: Sendable {
  enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case ext4, xfs, btrfs

    var testDescription: String { rawValue }
    fileprivate var make: [String] {
      switch self {
      case .ext4: ["mkfs.ext4", "-q", "-F"]
      case .xfs: ["mkfs.xfs", "-q", "-f"]
      case .btrfs: ["mkfs.btrfs", "-q", "-f"]
      }
    }

    /// The image before the power cut has the same UUID, and may still be mounted in the namespace
    /// of another process.
    fileprivate var mountOptions: String {
      switch self {
      case .ext4, .btrfs: "loop"
      case .xfs: "loop,nouuid"
      }
    }
  }

  /// Why images cannot be created and mounted here; nil if they can.
  static func obstacle(_ kind: Kind) -> String? {
    guard getuid() == 0 else { return "only root can mount" }
    let known = KernelFile.text("/proc/filesystems")
    let places = ["/usr/sbin/", "/sbin/", "/usr/bin/"]
    guard places.contains(where: { access($0 + "mkfs." + kind.rawValue, X_OK) == 0 }) else {
      return "there is no mkfs.\(kind)"
    }
    guard access("/dev/loop-control", W_OK) == 0 else { return "there are no loop devices" }
    // A kernel with modules lists a file system only after its module is loaded.
    return known.contains(kind.rawValue) || run("modprobe", kind.rawValue)
      ? nil : "the kernel does not know \(kind)"
  }

  /// In memory: copying must be quick, or the image changes in between.
  private static let memory = "/dev/shm"
  private static let byteCount: Int64 = 400 << 20

  let mountPoint: String
  private let kind: Kind
  private let image: String
  private let copy: String

  init(_ kind: Kind) throws {
    self.kind = kind
    mountPoint = try StormHome.makeDirectory()
    image = Self.memory + "/" + URL(filePath: mountPoint).lastPathComponent + ".image"
    copy = image + ".copy"
    guard FileManager.default.createFile(atPath: image, contents: nil),
      truncate(image, off_t(Self.byteCount)) == 0, Self.run(kind.make + [image]),
      mount(image)
    else { throw LoopError(what: "make and mount \(kind)") }
  }

  func close() {
    _ = unmount()
    for path in [image, copy] { unlink(path) }
    rmdir(mountPoint)
  }

  /// Copies the bytes that reached the device, and none that are still in the kernel's memory.
  /// Repeats that if the file system wrote in between: a power cut does not mix two moments.
  func cutPower() throws {
    for _ in 0..<20 {
      let before = writeCount
      guard Self.run("cp", "--sparse=always", image, copy) else { break }
      if writeCount == before { return }
    }
    throw LoopError(what: "copy an image that stands still")
  }

  /// Mounts the copy from the power cut in the same place.
  func comeBack() throws {
    guard unmount(), rename(copy, image) == 0, mount(image) else {
      throw LoopError(what: "mount what was left")
    }
  }

  /// A killed process keeps the mount busy until the kernel has cleaned up after it.
  private func unmount() -> Bool {
    eventually(milliseconds: 10_000, every: 20) { Self.run("umount", mountPoint) }
  }

  private func mount(_ path: String) -> Bool {
    Self.run("mount", "-o", kind.mountOptions, path, mountPoint)
  }

  /// The finished and the current writes of the loop device (block/stat.rst).
  private var writeCount: String {
    let mounts = KernelFile.text("/proc/mounts")
    let line = mounts.split(separator: "\n").first { $0.contains(" \(mountPoint) ") } ?? ""
    let device = line.split(separator: " ").first?.split(separator: "/").last ?? ""
    let stat = KernelFile.text("/sys/block/\(device)/stat")
    let fields = stat.split(separator: " ")
    return fields.count > 8 ? "\(fields[4]) \(fields[8])" : UUID().uuidString
  }

  @discardableResult
  static func run(_ words: String...) -> Bool { run(words) }

  static func run(_ words: [String]) -> Bool {
    let environment = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
    let outcome = try? StormProcess(words, environment: environment)
      .outcome(budgetMilliseconds: 30_000)
    return outcome?.code == 0
  }
}

struct LoopError: Error, CustomStringConvertible {
  var what: String
  var description: String { "could not \(what)" }
}
