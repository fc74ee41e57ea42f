// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTask+Kinds.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  var request = URLRequest(url: url)
  request.httpMethod = "PUT"
  session.uploadTask(with: request, fromFile: file).resume()
  _ = request
}

private func example2() async throws {
  session.downloadTask(with: url).resume()
}

private func example3() async throws {
  let resumeData = await task.cancelByProducingResumeData()
  _ = resumeData
}
