import TransferCore
import TransferModel

/// Opens the partial file that a body plan asks for. Blocks.
struct BodyOpening: Sendable {
  let files: any FileStorage
  let spec: TransferSpec
  let directory: String

  struct Opened: Sendable {
    var resumeData: ResumeData
    var file: any PartialFile
    var offset: Int64
    var upperLimit: Int64?
  }

  func open(_ plan: BodyPlan) throws(TransferFailure) -> Opened {
    switch plan {
    case .create(let preferredName, let total, let validator):
      try checkSpace(for: total)
      let file = try files.createPartialFile(
        in: directory, preferredName: preferredName, onConflict: spec.onConflict)
      let resumeData = ResumeData(
        partialPath: file.path, device: file.device, inode: file.inode, held: HeldRanges(),
        totalByteCount: total, validator: validator, finalName: file.finalName)
      return Opened(resumeData: resumeData, file: file, offset: 0, upperLimit: total)
    case .rewrite(let resumeData):
      // The bytes behind the new beginning are another version's, so they go first.
      let file = try files.openPartialFile(resumeData)
      try file.truncate(to: 0)
      try checkSpace(for: resumeData.totalByteCount)
      return Opened(
        resumeData: resumeData, file: file, offset: 0, upperLimit: resumeData.totalByteCount)
    case .append(let resumeData, let range):
      let file = try files.openPartialFile(resumeData)
      // What a crash left behind the last record was never synced.
      try file.truncate(to: range.lower)
      try checkSpace(for: range.byteCount)
      return Opened(
        resumeData: resumeData, file: file, offset: range.lower, upperLimit: range.upper)
    }
  }

  /// Finds out before the first byte what would otherwise be found out at the last.
  private func checkSpace(for byteCount: Int64?) throws(TransferFailure) {
    guard let byteCount, let free = files.freeBytes(at: directory), free < byteCount else { return }
    throw TransferFailure(
      .diskFull, on: directory, detail: "\(byteCount) bytes needed, \(free) free")
  }
}
