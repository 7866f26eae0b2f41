"""The routes."""

from django.db import transaction
from django.db.models import Exists, OuterRef, Value
from django.shortcuts import get_object_or_404
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS, AllowAny, BasePermission, IsAuthenticated
from rest_framework.response import Response
from rest_framework.throttling import ScopedRateThrottle
from rest_framework.views import APIView, exception_handler

from .models import Article, Comment, User
from .serializers import (
    ArticleSerializer,
    CommentSerializer,
    ListedArticleSerializer,
    LoginSerializer,
    ProfileSerializer,
    RegistrationSerializer,
    UserSerializer,
)

MOST = 100


def refusal(error, context):
    """A failure in the shape of RealWorld."""
    response = exception_handler(error, context)
    if isinstance(error, ValidationError):
        response.data, response.status_code = {"errors": response.data}, 422
    elif response is not None:
        response.data = {"errors": {"body": [response.data["detail"]]}}
    return response


class IsAuthor(BasePermission):
    def has_object_permission(self, request, view, row):
        return request.method in SAFE_METHODS or row.author_id == request.user.pk


class View(APIView):
    def given(self, name):
        body = self.request.data.get(name) if isinstance(self.request.data, dict) else None
        if not isinstance(body, dict):
            raise ValidationError({name: ["This field is required."]})
        return body

    def serialized(self, serializer, name, status=status.HTTP_200_OK, **options):
        shown = serializer(context={"request": self.request}, **options)
        return Response({name: shown.data}, status)

    def saved(self, serializer, name, row=None, **more):
        options = {"partial": True, "instance": row} if row is not None else {}
        found = serializer(data=self.given(name), context={"request": self.request}, **options)
        found.is_valid(raise_exception=True)
        return found.save(**more)


class Users(View):
    permission_classes = [AllowAny]

    @transaction.atomic
    def post(self, request):
        user = self.saved(RegistrationSerializer, "user")
        return self.serialized(UserSerializer, "user", status.HTTP_201_CREATED, instance=user)


class Login(View):
    permission_classes = [AllowAny]
    throttle_classes = [ScopedRateThrottle]
    throttle_scope = "sign-in"

    def post(self, request):
        proven = LoginSerializer(data=self.given("user"))
        proven.is_valid(raise_exception=True)
        return self.serialized(UserSerializer, "user", instance=proven.validated_data["user"])


class CurrentUser(View):
    permission_classes = [IsAuthenticated]

    def get(self, request):
        return self.serialized(UserSerializer, "user", instance=request.user)

    @transaction.atomic
    def put(self, request):
        return self.serialized(UserSerializer, "user", instance=self.saved(UserSerializer, "user", request.user))


class Profile(View):
    def get(self, request, username):
        return self.serialized(ProfileSerializer, "profile", instance=get_object_or_404(User, username=username))


class Follow(View):
    permission_classes = [IsAuthenticated]

    def post(self, request, username):
        profile = get_object_or_404(User, username=username)
        request.user.follows.add(profile)
        return self.serialized(ProfileSerializer, "profile", instance=profile)

    def delete(self, request, username):
        profile = get_object_or_404(User, username=username)
        request.user.follows.remove(profile)
        return self.serialized(ProfileSerializer, "profile", instance=profile)


class ArticleView(View):
    permission_classes = [*APIView.permission_classes, IsAuthor]

    def article(self, slug):
        article = get_object_or_404(Article.objects.as_seen_by(self.request.user), slug=slug)
        self.check_object_permissions(self.request, article)
        return article

    def one(self, slug, status=status.HTTP_200_OK):
        article = get_object_or_404(Article.objects.as_seen_by(self.request.user), slug=slug)
        return self.serialized(ArticleSerializer, "article", status, instance=article)

    def page(self, found):
        count, (start, take) = found.count(), self.window()
        rows = found.as_seen_by(self.request.user)[start : start + take]
        shown = ListedArticleSerializer(rows, many=True, context={"request": self.request})
        return Response({"articles": shown.data, "articlesCount": count})

    def window(self):
        try:
            start, take = (
                int(self.request.query_params.get(name, default)) for name, default in (("offset", 0), ("limit", 20))
            )
        except ValueError:
            raise ValidationError({"limit": ["A valid integer is required."]}) from None
        if start < 0 or not 0 <= take <= MOST:
            raise ValidationError({"limit": [f"From 0 to {MOST}."]})
        return start, take


class Articles(ArticleView):
    FILTERS = {"author": "author__username", "favorited": "favorites__username"}

    def get(self, request):
        asked = request.query_params
        found = Article.objects.filter(**{field: asked[name] for name, field in self.FILTERS.items() if name in asked})
        if "tag" in asked:
            found = found.filter(tags__contains=[asked["tag"]])
        # A second join counts all favorites, and not those of the filter alone.
        return self.page(Article.objects.filter(pk__in=found.values("pk")))

    def post(self, request):
        made = self.saved(ArticleSerializer, "article", author=request.user)
        return self.one(made.slug, status.HTTP_201_CREATED)


class Feed(ArticleView):
    permission_classes = [IsAuthenticated]

    def get(self, request):
        return self.page(Article.objects.filter(author__followers=request.user))


class OneArticle(ArticleView):
    def get(self, request, slug):
        return self.one(slug)

    def put(self, request, slug):
        return self.one(self.saved(ArticleSerializer, "article", self.article(slug)).slug)

    def delete(self, request, slug):
        self.article(slug).delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


class Favorite(ArticleView):
    permission_classes = [IsAuthenticated]

    def post(self, request, slug):
        get_object_or_404(Article, slug=slug).favorites.add(request.user)
        return self.one(slug)

    def delete(self, request, slug):
        get_object_or_404(Article, slug=slug).favorites.remove(request.user)
        return self.one(slug)


class Comments(View):
    def get(self, request, slug):
        followed = Value(False)
        if request.user.is_authenticated:
            follows = User.follows.through.objects.filter(from_user=request.user, to_user=OuterRef("author"))
            followed = Exists(follows)
        found = get_object_or_404(Article, slug=slug).comments.select_related("author").annotate(followed=followed)
        return self.serialized(CommentSerializer, "comments", instance=found[:MOST], many=True)

    def post(self, request, slug):
        article = get_object_or_404(Article, slug=slug)
        made = self.saved(CommentSerializer, "comment", author=request.user, article=article)
        return self.serialized(CommentSerializer, "comment", instance=made)


class OneComment(View):
    permission_classes = [IsAuthenticated, IsAuthor]

    def delete(self, request, slug, pk):
        comment = get_object_or_404(Comment, article__slug=slug, pk=pk)
        self.check_object_permissions(request, comment)
        comment.delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


class Tags(View):
    def get(self, request):
        tags = {tag for tags in Article.objects.values_list("tags", flat=True) for tag in tags}
        return Response({"tags": sorted(tags)[:1000]})
