"""Where requests go below /api."""

from django.urls import path

from . import views

urlpatterns = [
    path("users", views.Users.as_view()),
    path("users/login", views.Login.as_view()),
    path("user", views.CurrentUser.as_view()),
    path("profiles/<str:username>", views.Profile.as_view()),
    path("profiles/<str:username>/follow", views.Follow.as_view()),
    path("articles", views.Articles.as_view()),
    path("articles/feed", views.Feed.as_view()),
    path("articles/<str:slug>", views.OneArticle.as_view()),
    path("articles/<str:slug>/favorite", views.Favorite.as_view()),
    path("articles/<str:slug>/comments", views.Comments.as_view()),
    path("articles/<str:slug>/comments/<uuid:pk>", views.OneComment.as_view()),
    path("tags", views.Tags.as_view()),
]
