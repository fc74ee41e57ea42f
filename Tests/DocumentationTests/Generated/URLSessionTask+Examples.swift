// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTask.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let task = session.downloadTask(with: url)
  task.taskDescription = "The first chapter"
  task.resume()
  _ = task
}

private func example2() async throws {
  switch task.state {
  case .suspended: task.resume()
  case .running: print("It \(task.waitingReason?.description ?? "runs")")
  case .canceling, .completed: break
  }
}

private func example3() async throws {
  print(task.originalRequest?.url?.lastPathComponent ?? "")
}

private func example4() async throws {
  if let reply = task.response as? HTTPURLResponse { print(reply.statusCode) }
}

private func example5() async throws {
  task.taskDescription = "The first chapter"
}

private func example6() async throws {
  let task = session.downloadTask(with: url)
  task.updateTitle("Winter in the Alps", subtitle: "Chapter 3 of 12")
  task.resume()
  _ = task
}

private func example7() async throws {
  task.userInfo = try JSONEncoder().encode(["book": "17"])
}

private func example8() async throws {
  if let error = task.error as? URLError, error.code == .timedOut { print("It took too long") }
}

private func example9() async throws {
  task.priority = URLSessionTask.highPriority
}

private func example10() async throws {
  task.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
}

private func example11() async throws {
  task.countOfBytesClientExpectsToSend = 200
}

private func example12() async throws {
  task.countOfBytesClientExpectsToReceive = 30 * 1024 * 1024
}

private func example13() async throws {
  let total = task.countOfBytesExpectedToReceive
  if total != NSURLSessionTransferSizeUnknown {
    print("\(task.countOfBytesReceived) of \(total) bytes")
  }
  _ = total
}

private func example14() async throws {
  print("\(upload.countOfBytesSent) of \(upload.countOfBytesExpectedToSend) bytes")
}

private func example15() async throws {
  let progress = task.progress
  print(progress.completedUnitCount, progress.totalUnitCount)
  _ = progress
}

private func example16() async throws {
  if let reason = task.waitingReason { print("It \(reason).") }
}

private func example17() async throws {
  for await progress in task.progressUpdates {
    print(progress.completedByteCount, progress.fraction ?? 0)
  }
}

private func example18() async throws {
  let task = session.downloadTask(with: url)
  task.resume()
  _ = task
}

private func example19() async throws {
  task.suspend()
  task.resume()
}

private func example20() async throws {
  task.cancel()
}

private func example21() async throws {
  let isTheSame = task.isEqual(upload)
  _ = isTheSame
}

private func example22() async throws {
  let isKnown = task.countOfBytesExpectedToReceive != NSURLSessionTransferSizeUnknown
  _ = isKnown
}
