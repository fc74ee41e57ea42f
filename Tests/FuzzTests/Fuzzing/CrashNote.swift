import Glibc
import KettleSystem
import TestSupport

/// A file with the input that is being checked: after a crash, it contains the cause.
struct CrashNote: ~Copyable {
  private let descriptor: OwnedDescriptor?

  init(part: String, slot: Int) {
    let path = Corpus.outputFolder(of: part) + "/running-\(slot)"
    let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    descriptor = number < 0 ? nil : OwnedDescriptor(owning: number)
  }

  func write(_ text: [UInt8]) {
    switch descriptor {
    case .some(let file):
      _ = pwrite(file.number, text, text.count, 0)
      _ = ftruncate(file.number, off_t(text.count))
    case .none: break
    }
  }
}
