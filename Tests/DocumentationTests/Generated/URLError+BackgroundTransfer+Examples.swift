// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Errors/URLError+BackgroundTransfer.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  if let data = (error as? URLError)?.downloadTaskResumeData {
    session.downloadTask(withResumeData: data).resume()
  }
}
