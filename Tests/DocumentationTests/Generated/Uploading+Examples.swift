// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/Uploading.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  if let resumeData = await upload.cancelByProducingResumeData() {
    session.uploadTask(withResumeData: resumeData).resume()
  }
}

private func example2() async throws {
  let (data, response) = try await session.upload(for: request, fromFile: file)
  print((response as? HTTPURLResponse)?.statusCode ?? 0, data.count)
}

private func example3() async throws {
  for await progress in upload.progressUpdates {
    print(progress.fraction.map { "\(Int($0 * 100)) %" } ?? "", progress.bytesPerSecond)
  }
}
