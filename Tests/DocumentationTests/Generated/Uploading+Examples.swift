// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/Uploading.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  for await progress in upload.progressUpdates {
    print(progress.fraction.map { "\(Int($0 * 100)) %" } ?? "", progress.bytesPerSecond)
  }
}
