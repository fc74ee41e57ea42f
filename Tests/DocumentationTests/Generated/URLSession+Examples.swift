// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let session = URLSession(
    configuration: .background(withIdentifier: "org.example.books"), delegate: nil,
    delegateQueue: .main)
  _ = session
}

private func example2() async throws {
  let (data, _) = try await URLSession.shared.data(from: url)
  print("\(data.count) bytes")
}

private func example3() async throws {
  session.duplicatePolicy = .coalesce
}

private func example4() async throws {
  session.downloadTask(with: url).resume()
  session.finishTasksAndInvalidate()
}

private func example5() async throws {
  session.invalidateAndCancel()
}

private func example6() async throws {
  task.resume()
  await session.flush()
}

private func example7() async throws {
  await URLSession.shared.reset()
}

private func example8() async throws {
  func answer(_ password: String?) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard let password else { return (.cancelAuthenticationChallenge, nil) }
    let login = URLCredential(user: "reader", password: password, persistence: .forSession)
    return (.useCredential, login)
  }
}

private func example9() async throws {
  func disposition(of response: URLResponse) -> URLSession.ResponseDisposition {
    response.mimeType == "text/html" ? .cancel : .allow
  }
}

private func example10() async throws {
  func disposition(isStillWanted: Bool) -> URLSession.DelayedRequestDisposition {
    isStillWanted ? .continueLoading : .cancel
  }
}
