// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+Tasks.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  session.downloadTask(with: url).resume()
}

private func example2() async throws {
  var request = URLRequest(url: url)
  request.setValue("application/pdf", forHTTPHeaderField: "Accept")
  session.downloadTask(with: request).resume()
  _ = request
}

private func example3() async throws {
  let task = session.downloadTask(with: URLRequest(url: url), to: file, onConflict: .replace)
  task.resume()
  _ = task
}

private func example4() async throws {
  var options = DownloadOptions()
  options.checksum = "sha256:" + digest
  session.downloadTask(with: request, to: file, options: options).resume()
  _ = options
}

private func example5() async throws {
  session.downloadTask(with: url, to: file, onConflict: .replace).resume()
}

private func example6() async throws {
  if let resumeData = await task.cancelByProducingResumeData() {
    session.downloadTask(withResumeData: resumeData).resume()
  }
}

private func example7() async throws {
  let place = URL(fileURLWithPath: "/tmp/book.pdf")
  let file = try await session.download(from: url, to: place, onConflict: .skip)
  print("It is at \(file.path(percentEncoded: false))")
  _ = place
  _ = file
}

private func example8() async throws {
  var request = URLRequest(url: url)
  request.setValue("Bearer 5f3a", forHTTPHeaderField: "Authorization")
  try await session.download(for: request, to: file, onConflict: .replace)
  _ = request
}

private func example9() async throws {
  var request = URLRequest(url: url)
  request.httpMethod = "POST"
  session.uploadTask(with: request, fromFile: file).resume()
  _ = request
}

private func example10() async throws {
  if let resumeData = (error as? URLError)?.uploadTaskResumeData {
    session.uploadTask(withResumeData: resumeData).resume()
  }
}
