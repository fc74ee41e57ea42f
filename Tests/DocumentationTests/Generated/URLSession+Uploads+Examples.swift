// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+Uploads.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  var request = URLRequest(url: url)
  request.httpMethod = "POST"
  session.uploadTask(with: request, fromFile: file).resume()
  _ = request
}
