// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/TaskFailure+Error.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let resumeData = (error as? URLError)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
  _ = resumeData
}

private func example2() async throws {
  let resumeData = (error as? URLError)?.userInfo[NSURLSessionUploadTaskResumeData] as? Data
  _ = resumeData
}

private func example3() async throws {
  if let data = (error as? URLError)?.downloadTaskResumeData {
    session.downloadTask(withResumeData: data).resume()
  }
}

private func example4() async throws {
  if let data = (error as? URLError)?.uploadTaskResumeData {
    session.uploadTask(withResumeData: data).resume()
  }
}

private func example5() async throws {
  if let error = error as? URLError,
    error.backgroundTaskCancelledReason == .userForceQuitApplication
  {
    print("The user took it off the list")
  }
}
