// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTask+Kinds.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let (data, uploads, _) = await session.tasks
  print(data.isEmpty, uploads.count)
}

private func example2() async throws {
  var request = URLRequest(url: url)
  request.httpMethod = "PUT"
  session.uploadTask(with: request, fromFile: file).resume()
  _ = request
}

private func example3() async throws {
  upload.cancel { resumeData in
    print(resumeData == nil ? "It begins from nothing the next time" : "It can go on")
  }
}

private func example4() async throws {
  if let resumeData = await upload.cancelByProducingResumeData() {
    session.uploadTask(withResumeData: resumeData).resume()
  }
}

private func example5() async throws {
  session.downloadTask(with: url).resume()
}

private func example6() async throws {
  task.cancel { resumeData in
    print(resumeData == nil ? "It begins from nothing the next time" : "It can go on")
  }
}

private func example7() async throws {
  let resumeData = await task.cancelByProducingResumeData()
  _ = resumeData
}

private func example8() async throws {
  let socket = URLSession.shared.webSocketTask(with: url)
  socket.resume()
  try await socket.send(.string("hello"))
  if case .string(let reply) = try await socket.receive() { print(reply) }
  _ = socket
}

private func example9() async throws {
  let socket = URLSession.shared.webSocketTask(with: url)
  socket.resume()
  try await socket.send(.data(Data([1, 2])))
  _ = socket
}

private func example10() async throws {
  URLSession.shared.webSocketTask(with: url).cancel(with: .goingAway, reason: nil)
}

private func example11() async throws {
  switch task.waitingReason {
  case .mainsPower, .unmeteredNetwork: print("Plug it in, or find another network")
  case .freshLink: print("The link is no longer valid")
  case let reason?: print("It \(reason)")
  case nil: print("It runs, or is over")
  }
}
