// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+DataTasks.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let task = URLSession.shared.dataTask(with: url)
  task.resume()
  _ = task
}

private func example2() async throws {
  let task = URLSession.shared.dataTask(with: url) { data, response, error in
    print(data?.count ?? 0, error?.localizedDescription ?? "done")
  }
  task.resume()
  _ = task
}

private func example3() async throws {
  let task = URLSession.shared.downloadTask(with: request) { location, _, _ in
    guard let location else { return }
    try? FileManager.default.moveItem(at: location, to: file)
  }
  task.resume()
  _ = task
}

private func example4() async throws {
  var request = URLRequest(url: url)
  request.httpMethod = "PUT"
  URLSession.shared.uploadTask(with: request, from: Data("hello".utf8)).resume()
  _ = request
}

private func example5() async throws {
  let socket = URLSession.shared.webSocketTask(with: url)
  socket.resume()
  _ = socket
}
