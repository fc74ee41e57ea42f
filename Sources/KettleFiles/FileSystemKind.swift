/// File systems with known behavior beyond POSIX, by their numbers in statfs(2).
enum FileSystemKind: Int {
  /// EXT4_SUPER_MAGIC, also for ext2 and ext3.
  case ext4 = 0xEF53
  case xfs = 0x5846_5342
  case btrfs = 0x9123_683E
  case tmpfs = 0x0102_1994

  /// Returns nil for any other file system, or when the kernel does not say.
  init?(of file: OpenFile) {
    guard let number = file.calls.fileSystemKind(file.descriptor) else { return nil }
    self.init(rawValue: number)
  }
}
